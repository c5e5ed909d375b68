//! Setting elements, and zeros, on the devices against candle's CPU.

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::scalar::Scalar;
use candle_core::{CpuStorage, DType, Layout, Shape};
use candle_rocm::RocmError;

use crate::harness::bits::compare;
use crate::harness::data::mixed_storage;
use crate::harness::tolerance::EXACT;
use crate::harness::views::{large_shapes, memory, shapes, views};
use crate::harness::{DTYPES, Operand, check_change, len};
use crate::{common, harness};

fn scalar(dtype: DType, value: f64) -> Scalar {
    macro_rules! each {
        ($($variant:ident $ty:ty),*) => {
            match dtype {
                $(DType::$variant => Scalar::$variant(<$ty as candle_core::WithDType>::from_f64(value)),)*
                _ => panic!("no scalar of {dtype:?}"),
            }
        };
    }
    each!(U8 u8, U32 u32, I16 i16, I32 i32, I64 i64, BF16 half::bf16, F16 half::f16, F32 f32, F64 f64,
          F8E4M3 float8::F8E4M3)
}

#[test]
fn const_set_everywhere() {
    let devices = common::devices();
    for dtype in DTYPES {
        for shape in shapes().iter().chain(&large_shapes()[..1]) {
            for (n, view) in views(shape).into_iter().enumerate() {
                let mut operand = Operand::new(&devices, mixed_storage(dtype, memory(shape), 31));
                let value = scalar(dtype, [0.0, 1.0, 42.5][n % 3]);
                check_change(
                    &format!("const_set({value:?}) over {view:?}"),
                    &mut operand,
                    |cpu| cpu.const_set(value, &view),
                    |_, rocm| rocm.const_set(value, &view),
                );
            }
        }
    }
}

#[test]
fn const_set_refuses_other_dtypes() {
    for device in common::devices() {
        let mut storage = device.zeros_impl(&Shape::from(4), DType::F32).expect("zeros");
        let error = storage.const_set(Scalar::F64(1.0), &Layout::contiguous(4)).unwrap_err();
        let typed = harness::rocm_error(&error);
        assert!(
            matches!(typed, RocmError::DTypeMismatch { lhs: DType::F32, rhs: DType::F64, .. }),
            "{error}"
        );
        let error = storage.const_set(Scalar::F32(1.0), &Layout::contiguous(5)).unwrap_err();
        assert!(
            matches!(harness::rocm_error(&error), RocmError::LayoutOutOfBounds { len: 4, .. }),
            "{error}"
        );
    }
}

#[test]
fn zeros_are_zero() {
    for device in common::devices() {
        for dtype in DTYPES {
            for shape in [Shape::from(()), Shape::from(0), Shape::from(65), Shape::from((33, 1000))] {
                let zeros =
                    device.zeros_impl(&shape, dtype).expect("zeros").to_cpu_storage().expect("download");
                let want = candle_core::cpu_backend::CpuDevice.zeros_impl(&shape, dtype).expect("zeros");
                compare(&zeros, &want, &EXACT).unwrap_or_else(|difference| panic!("{dtype:?}: {difference}"));
            }
        }
        for dtype in harness::PACKED {
            let error = device.zeros_impl(&Shape::from(4), dtype).unwrap_err();
            assert!(matches!(harness::rocm_error(&error), RocmError::UnsupportedDType { .. }), "{error}");
        }
    }
}

/// The three ways from memory of the CPU, and back.
#[test]
fn storages_of_given_elements() {
    for device in common::devices() {
        for dtype in DTYPES {
            let cpu = mixed_storage(dtype, 1001, 39);
            let lent = device.storage_from_cpu_storage(&cpu).expect("upload");
            let owned = device.storage_from_cpu_storage_owned(cpu.clone()).expect("upload");
            for storage in [lent, owned] {
                assert_eq!(storage.dtype(), dtype);
                let back = storage.to_cpu_storage().expect("download");
                compare(&back, &cpu, &EXACT).unwrap_or_else(|difference| panic!("{dtype:?}: {difference}"));
            }
        }
        let slice = device.storage_from_slice(&[1u8, 2, 3]).expect("upload");
        assert!(matches!(slice.to_cpu_storage().expect("download"), CpuStorage::U8(got) if got == [1, 2, 3]));
    }
}

/// The packed MX formats are bytes that travel unchanged.
#[test]
fn packed_formats_travel_as_bytes() {
    for device in common::devices() {
        let bytes: Vec<u8> = (0..=255).collect();
        for cpu in [
            CpuStorage::F4(bytes.clone()),
            CpuStorage::F6E2M3(bytes.clone()),
            CpuStorage::F6E3M2(bytes.clone()),
            CpuStorage::F8E8M0(bytes.clone()),
        ] {
            let storage = device.storage_from_cpu_storage(&cpu).expect("upload");
            assert_eq!(storage.dtype(), cpu.dtype());
            let all = Layout::contiguous(len(&cpu));
            let clone = storage.try_clone(&all).expect("clone").to_cpu_storage().expect("download");
            compare(&clone, &cpu, &EXACT).unwrap_or_else(|difference| panic!("{difference}"));
            let error = storage.affine(&all, 1.0, 0.0).unwrap_err();
            assert!(matches!(harness::rocm_error(&error), RocmError::UnsupportedDType { .. }), "{error}");
        }
    }
}

/// A clone has memory of its own.
#[test]
fn clones_are_independent() {
    for device in common::devices() {
        let mut storage = device.storage_from_slice(&[1i64, 2, 3]).expect("upload");
        let clone = storage.try_clone(&Layout::contiguous(3)).expect("clone");
        storage.const_set(Scalar::I64(9), &Layout::contiguous(3)).expect("const_set");
        let CpuStorage::I64(got) = clone.to_cpu_storage().expect("download") else { panic!("not i64") };
        assert_eq!(got, [1, 2, 3]);
    }
}
