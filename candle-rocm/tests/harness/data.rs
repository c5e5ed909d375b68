//! Values to test with: every special one of a dtype, and pseudo-random ones between them.

use candle_core::{CpuStorage, DType, WithDType};
use float8::F8E4M3;
use half::{bf16, f16};

use crate::common::Random;

/// In [0, 1).
fn unit(random: &mut Random) -> f64 {
    (random.next() >> 11) as f64 / (1u64 << 53) as f64
}

/// The values of a dtype that break things.
pub trait Special: WithDType {
    fn special() -> Vec<Self>;
    /// Any bit pattern.
    fn from_random_bits(bits: u64) -> Self;
}

macro_rules! ints {
    ($($ty:ty)*) => {$(
        impl Special for $ty {
            fn special() -> Vec<Self> {
                vec![0, 1, 2, 3, <$ty>::MAX, <$ty>::MAX - 1, <$ty>::MIN, <$ty>::MIN + 1, <$ty>::MAX / 2, 100]
            }
            fn from_random_bits(bits: u64) -> Self { bits as $ty }
        }
    )*};
}
ints!(u8 u32 i16 i32 i64);

macro_rules! floats {
    ($($ty:ty, $bits:ty, max_subnormal: $max_subnormal:expr, min_normal: $min_normal:expr, max: $max:expr,
       infinity: $infinity:expr;)*) => {$(
        impl Special for $ty {
            fn special() -> Vec<Self> {
                let mut values: Vec<$ty> = [0.0, 1.0, 0.5, 1.5, 2.5, 3.0, 0.1, 7.0]
                    .iter()
                    .map(|&v| <$ty as WithDType>::from_f64(v))
                    .collect();
                values.extend([1 as $bits, $max_subnormal, $min_normal, $max].map(<$ty>::from_bits));
                values.extend($infinity);
                let negative: Vec<_> = values.iter().map(|&v| -v).collect();
                values.extend(negative);
                values.push(<$ty>::NAN);
                values
            }
            fn from_random_bits(bits: u64) -> Self { <$ty>::from_bits(bits as $bits) }
        }
    )*};
}
floats! {
    f32, u32, max_subnormal: 0x007f_ffff, min_normal: 0x0080_0000, max: f32::MAX.to_bits(),
        infinity: Some(f32::INFINITY);
    f64, u64, max_subnormal: 0x000f_ffff_ffff_ffff, min_normal: 0x0010_0000_0000_0000, max: f64::MAX.to_bits(),
        infinity: Some(f64::INFINITY);
    f16, u16, max_subnormal: 0x03ff, min_normal: 0x0400, max: f16::MAX.to_bits(), infinity: Some(f16::INFINITY);
    bf16, u16, max_subnormal: 0x007f, min_normal: 0x0080, max: bf16::MAX.to_bits(), infinity: Some(bf16::INFINITY);
    F8E4M3, u8, max_subnormal: 0x07, min_normal: 0x08, max: 0x7e, infinity: None::<F8E4M3>;
}

/// `len` values: special ones, ordinary ones in [-8, 8) (integers: [-8, 120)), and arbitrary bit patterns.
pub fn mixed<T: Special>(len: usize, seed: u64) -> Vec<T> {
    let special = T::special();
    let mut random = Random(seed);
    (0..len)
        .map(|_| match random.below(8) {
            0 | 1 => special[random.below(special.len())],
            2 => T::from_random_bits(random.next()),
            _ if T::DTYPE.is_int() => T::from_f64(unit(&mut random) * 128.0 - 8.0),
            _ => T::from_f64(unit(&mut random) * 16.0 - 8.0),
        })
        .collect()
}

/// [`mixed`] without what candle's CPU cannot divide by: integer 0, and -1, whose quotient can overflow.
pub fn divisors<T: Special>(len: usize, seed: u64) -> Vec<T> {
    let fix =
        |v: T| if T::DTYPE.is_int() && (v.to_f64() == 0.0 || v.to_f64() == -1.0) { T::one() } else { v };
    mixed::<T>(len, seed).into_iter().map(fix).collect()
}

/// [`mixed`] for a dtype known at run time.
pub fn mixed_storage(dtype: DType, len: usize, seed: u64) -> CpuStorage {
    storage(dtype, len, seed, false)
}

/// [`divisors`] for a dtype known at run time.
pub fn divisor_storage(dtype: DType, len: usize, seed: u64) -> CpuStorage {
    storage(dtype, len, seed, true)
}

/// Every special value of a dtype.
pub fn special_storage(dtype: DType) -> CpuStorage {
    macro_rules! each {
        ($($variant:ident $ty:ty),*) => {
            match dtype {
                $(DType::$variant => CpuStorage::$variant(<$ty>::special()),)*
                _ => panic!("no values for {dtype:?}"),
            }
        };
    }
    each!(U8 u8, U32 u32, I16 i16, I32 i32, I64 i64, BF16 bf16, F16 f16, F32 f32, F64 f64, F8E4M3 F8E4M3)
}

fn storage(dtype: DType, len: usize, seed: u64, divisor: bool) -> CpuStorage {
    macro_rules! each {
        ($($variant:ident $ty:ty),*) => {
            match dtype {
                $(DType::$variant if divisor => CpuStorage::$variant(divisors::<$ty>(len, seed)),
                  DType::$variant => CpuStorage::$variant(mixed::<$ty>(len, seed)),)*
                _ => panic!("no values for {dtype:?}"),
            }
        };
    }
    each!(U8 u8, U32 u32, I16 i16, I32 i32, I64 i64, BF16 bf16, F16 f16, F32 f32, F64 f64, F8E4M3 F8E4M3)
}
