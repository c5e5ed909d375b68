//! Conversions between all dtypes on the devices against candle's CPU.

use candle_core::backend::BackendStorage;
use candle_core::{CpuStorage, DType, Layout};
use candle_rocm::{RocmDType, RocmDevice, RocmError, RocmStorage};
use float8::F8E4M3;
use half::{bf16, f16};

use crate::harness::bits::Number;
use crate::harness::calls::Cast;
use crate::harness::data::{mixed_storage, special_storage};
use crate::harness::tolerance::EXACT;
use crate::harness::views::{large_shapes, memory, shapes, views};
use crate::harness::{DTYPES, Operand, check, check_against, len};
use crate::{common, harness};

#[test]
fn every_pair_in_every_view() {
    let devices = common::devices();
    for from in DTYPES {
        for shape in shapes() {
            let operand = Operand::new(&devices, mixed_storage(from, memory(shape), 11));
            for to in DTYPES {
                for view in views(shape) {
                    check(&Cast(to), &[(&operand, &view)]);
                }
            }
        }
    }
}

#[test]
fn special_values() {
    let devices = common::devices();
    for from in DTYPES {
        let special = Operand::new(&devices, special_storage(from));
        for to in DTYPES {
            check(&Cast(to), &[(&special, &Layout::contiguous(len(&special.cpu)))]);
        }
    }
}

/// Every f16, bf16 and f8 there is.
#[test]
fn all_bit_patterns() {
    let devices = common::devices();
    let all = || 0..=u16::MAX;
    let storages = [
        CpuStorage::F16(all().map(f16::from_bits).collect()),
        CpuStorage::BF16(all().map(bf16::from_bits).collect()),
        CpuStorage::F8E4M3((0..=u8::MAX).map(F8E4M3::from_bits).collect()),
    ];
    for storage in storages {
        let operand = Operand::new(&devices, storage);
        for to in DTYPES {
            check(&Cast(to), &[(&operand, &Layout::contiguous(len(&operand.cpu)))]);
        }
    }
}

/// Numbers around every boundary at which rounding to a narrow dtype goes the other way: the middle between one of its
/// values and the next, and the numbers next to that. The reference picks the nearer value itself: on some CPUs candle
/// rounds f64 to f16 by way of f32, that is twice.
#[test]
fn rounds_to_nearest_even() {
    fn check<T: RocmDType + Number>(devices: &[RocmDevice], from_bits: fn(u16) -> T, bits: u16) {
        let values: Vec<f64> = (0..=bits).map(|b| from_bits(b).value()).filter(|v| v.is_finite()).collect();
        let mut inputs = Vec::new();
        for pair in values.windows(2) {
            let middle = pair[0] + (pair[1] - pair[0]) / 2.0;
            inputs.extend([middle.next_down(), middle, middle.next_up()]);
            inputs.extend([-middle.next_down(), -middle, -middle.next_up()]);
        }
        let nearest = |x: f64| {
            let above = values.partition_point(|&v| v <= x.abs()).min(values.len() - 1);
            let (lo, hi) = (values[above - 1], values[above]);
            let even = |index: usize| index.is_multiple_of(2);
            let (down, up) = (x.abs() - lo, hi - x.abs());
            let v = if down < up || (down == up && even(above - 1)) { lo } else { hi };
            T::from_f64(v.copysign(x))
        };
        let want: Vec<T> = inputs.iter().map(|&x| nearest(x)).collect();
        let operand = Operand::new(devices, CpuStorage::F64(inputs));
        let all = Layout::contiguous(want.len());
        check_against(&Cast(T::DTYPE), &[(&operand, &all)], &T::to_cpu_storage(&want), &EXACT);
    }
    let devices = common::devices();
    check::<f16>(&devices, f16::from_bits, 0x7bff);
    check::<bf16>(&devices, bf16::from_bits, 0x7f7f);
    check::<F8E4M3>(&devices, |bits| F8E4M3::from_bits(bits as u8), 0x7e);
}

/// Floats to integers: saturating, NaN to 0, towards zero.
#[test]
fn floats_saturate() {
    let values =
        [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30, -1e30, -0.9, 0.9, 255.9, -1.5, 3e9, 65504.0];
    for device in common::devices() {
        let operand = Operand::new(std::slice::from_ref(&device), CpuStorage::F32(values.to_vec()));
        let cast = |to| {
            let out: RocmStorage =
                operand.rocm[0].to_dtype(&Layout::contiguous(values.len()), to).expect("to_dtype");
            out.to_cpu_storage().expect("download")
        };
        let CpuStorage::U8(u8s) = cast(DType::U8) else { panic!("not u8") };
        assert_eq!(u8s, [0, 255, 0, 255, 0, 0, 0, 255, 0, 255, 255]);
        let CpuStorage::I16(i16s) = cast(DType::I16) else { panic!("not i16") };
        let (max, min) = (i16::MAX, i16::MIN);
        assert_eq!(i16s, [0, max, min, max, min, 0, 0, 255, -1, max, max]);
        let CpuStorage::U32(u32s) = cast(DType::U32) else { panic!("not u32") };
        assert_eq!(u32s, [0, u32::MAX, 0, u32::MAX, 0, 0, 0, 255, 0, 3_000_000_000, 65504]);
        let CpuStorage::I64(i64s) = cast(DType::I64) else { panic!("not i64") };
        let (max, min) = (i64::MAX, i64::MIN);
        assert_eq!(i64s, [0, max, min, max, min, 0, 0, 255, -1, 3_000_000_000, 65504]);
    }
}

#[test]
fn large_tensors() {
    let devices = common::devices();
    let pairs = [
        (DType::F32, DType::F16),
        (DType::BF16, DType::F32),
        (DType::U8, DType::F64),
        (DType::I64, DType::U8),
        (DType::F32, DType::F8E4M3),
        (DType::F16, DType::F16),
    ];
    for (from, to) in pairs {
        for shape in large_shapes() {
            let operand = Operand::new(&devices, mixed_storage(from, memory(shape), 12));
            for view in views(shape) {
                check(&Cast(to), &[(&operand, &view)]);
            }
        }
    }
}

/// The packed MX formats have no values to convert.
#[test]
fn packed_formats_are_refused() {
    for device in common::devices() {
        let operand = Operand::new(std::slice::from_ref(&device), CpuStorage::F32(vec![1.0; 4]));
        for to in harness::PACKED {
            let error = operand.rocm[0].to_dtype(&Layout::contiguous(4), to).unwrap_err();
            let typed = harness::rocm_error(&error);
            assert!(matches!(typed, RocmError::UnsupportedDType { dtype, .. } if *dtype == to), "{error}");
        }
        let packed = Operand::new(std::slice::from_ref(&device), CpuStorage::F4(vec![0x21; 4]));
        let error = packed.rocm[0].to_dtype(&Layout::contiguous(4), DType::F32).unwrap_err();
        let typed = harness::rocm_error(&error);
        assert!(matches!(typed, RocmError::UnsupportedDType { dtype: DType::F4, .. }), "{error}");
    }
}
