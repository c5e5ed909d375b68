//! Comparing results: in units of the last place, with every NaN the same and each zero equal only to itself where
//! exactness is asked for.

use candle_core::backend::BackendStorage;
use candle_core::{CpuStorage, DType, WithDType};
use candle_rocm::{RocmDType, RocmStorage};
use float8::F8E4M3;
use half::{bf16, f16};

use super::tolerance::Rule;

/// A number, and where it is in the order of all numbers of its dtype.
pub trait Number: WithDType {
    /// The bits, for exact comparison.
    fn bits(self) -> u64;
    /// Its index in that order: neighbours differ by one, and both zeros have index 0.
    fn ordinal(self) -> i128;
    /// Whether it is no number.
    fn nan(self) -> bool;
    /// The value. Not `WithDType::to_f64`, which for f8 calls itself without end in candle 0.11.1.
    fn value(self) -> f64;
}

macro_rules! ints {
    ($($ty:ty)*) => {$(
        impl Number for $ty {
            fn bits(self) -> u64 { self as u64 }
            fn ordinal(self) -> i128 { self as i128 }
            fn nan(self) -> bool { false }
            fn value(self) -> f64 { self as f64 }
        }
    )*};
}
ints!(u8 u32 i16 i32 i64);

macro_rules! floats {
    ($($ty:ty: $sign:literal $value:expr;)*) => {$(
        impl Number for $ty {
            fn bits(self) -> u64 { u64::from(self.to_bits()) }
            fn ordinal(self) -> i128 {
                let magnitude = (self.bits() & !(1 << $sign)) as i128;
                if self.bits() >> $sign == 1 { -magnitude } else { magnitude }
            }
            fn nan(self) -> bool { self.is_nan() }
            fn value(self) -> f64 { $value(self) }
        }
    )*};
}
floats! {
    f32: 31 f64::from;
    f64: 63 |v| v;
    f16: 15 f16::to_f64;
    bf16: 15 bf16::to_f64;
    F8E4M3: 7 |v: F8E4M3| f64::from(F8E4M3::to_f32(&v));
}

/// The bits of all elements, every NaN the same.
pub fn bits_of<T: Number + RocmDType>(storage: &RocmStorage) -> Vec<u64> {
    let data = storage.to_cpu_storage().expect("download");
    let data = T::cpu_storage_as_slice(&data).expect("dtype");
    data.iter().map(|x| if x.nan() { u64::MAX } else { x.bits() }).collect()
}

/// `Err` describes the first differences.
pub fn compare(got: &CpuStorage, want: &CpuStorage, rule: &Rule) -> Result<(), String> {
    macro_rules! each {
        ($($variant:ident)*) => {
            match (got, want) {
                $((CpuStorage::$variant(got), CpuStorage::$variant(want)) => slices(got, want, rule),)*
                _ => Err(format!("dtypes differ: got {:?}", candle_core::backend::BackendStorage::dtype(got))),
            }
        };
    }
    each!(U8 U32 I16 I32 I64 BF16 F16 F32 F64 F8E4M3 F6E2M3 F6E3M2 F4 F8E8M0)
}

/// [`compare`] for slices.
pub fn slices<T: Number>(got: &[T], want: &[T], rule: &Rule) -> Result<(), String> {
    if got.len() != want.len() {
        return Err(format!("got {} elements, want {}", got.len(), want.len()));
    }
    let mut report = String::new();
    let mut wrong = 0;
    for (index, (&got, &want)) in got.iter().zip(want).enumerate() {
        if close(got, want, rule) {
            continue;
        }
        wrong += 1;
        if wrong <= 4 {
            let apart = (got.ordinal() - want.ordinal()).abs();
            report += &format!("\n  [{index}] got {got} want {want} ({apart} ulp apart)");
        }
    }
    if wrong == 0 { Ok(()) } else { Err(format!("{wrong} of {} elements differ{report}", got.len())) }
}

fn close<T: Number>(got: T, want: T, rule: &Rule) -> bool {
    if got.bits() == want.bits() || (got.nan() && want.nan()) {
        return true;
    }
    if got.nan() || want.nan() {
        return false;
    }
    let apart = (got.ordinal() - want.ordinal()).unsigned_abs();
    let ulps = rule.ulps(T::DTYPE);
    // With no tolerance, -0 and +0 differ as well.
    if ulps > 0 && apart <= ulps {
        return true;
    }
    rule.epsilons > 0.0 && (got.value() - want.value()).abs() <= rule.epsilons * computed_epsilon(T::DTYPE)
}

/// The spacing of numbers at 1 in the precision that kernels compute in.
fn computed_epsilon(dtype: DType) -> f64 {
    if dtype == DType::F64 { f64::EPSILON } else { f64::from(f32::EPSILON) }
}
