//! Conversions between all dtypes on the devices against candle's CPU.

mod common;
mod harness;

use candle_core::backend::BackendStorage;
use candle_core::{CpuStorage, DType, Layout};
use candle_rocm::{RocmError, RocmStorage};

use harness::calls::Cast;
use harness::data::{mixed_storage, special_storage};
use harness::views::{LARGE, SHAPES, memory, views};
use harness::{DTYPES, Operand, check, len};

#[test]
fn every_pair_in_every_view() {
    let devices = common::devices();
    for from in DTYPES {
        for shape in SHAPES {
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
        CpuStorage::F16(all().map(half::f16::from_bits).collect()),
        CpuStorage::BF16(all().map(half::bf16::from_bits).collect()),
        CpuStorage::F8E4M3((0..=u8::MAX).map(float8::F8E4M3::from_bits).collect()),
    ];
    for storage in storages {
        let operand = Operand::new(&devices, storage);
        for to in DTYPES {
            check(&Cast(to), &[(&operand, &Layout::contiguous(len(&operand.cpu)))]);
        }
    }
}

/// Numbers around every boundary at which rounding to a narrow dtype goes the other way: each f16, bf16 and f8, the
/// middle between it and the next, and one bit to either side.
#[test]
fn rounds_to_nearest_even() {
    let devices = common::devices();
    let mut wide: Vec<f32> = Vec::new();
    let mut around = |v: f32| {
        wide.extend(
            [v.to_bits().wrapping_sub(1), v.to_bits(), v.to_bits().wrapping_add(1)].map(f32::from_bits),
        );
    };
    for bits in (0..=u16::MAX).step_by(7) {
        let middle = |a: f32, b: f32| a + (b - a) / 2.0;
        around(middle(
            half::f16::from_bits(bits).to_f32(),
            half::f16::from_bits(bits.wrapping_add(1)).to_f32(),
        ));
        around(middle(
            half::bf16::from_bits(bits).to_f32(),
            half::bf16::from_bits(bits.wrapping_add(1)).to_f32(),
        ));
    }
    for bits in 0..=u8::MAX {
        let value = |bits| float8::F8E4M3::from_bits(bits).to_f32();
        around(value(bits) + (value(bits.wrapping_add(1)) - value(bits)) / 2.0);
    }
    let double: Vec<f64> =
        wide.iter().map(|&v| f64::from_bits(f64::from(v).to_bits().wrapping_add(1))).collect();
    for storage in [CpuStorage::F32(wide), CpuStorage::F64(double)] {
        let operand = Operand::new(&devices, storage);
        for to in [DType::F16, DType::BF16, DType::F8E4M3, DType::F32] {
            check(&Cast(to), &[(&operand, &Layout::contiguous(len(&operand.cpu)))]);
        }
    }
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
        for shape in LARGE {
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
        for to in [DType::F4, DType::F6E2M3, DType::F6E3M2, DType::F8E8M0] {
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
