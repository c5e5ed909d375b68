//! Setting elements, zeros, and copies on the devices against candle's CPU.

mod common;
mod harness;

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::scalar::Scalar;
use candle_core::{CpuStorage, DType, Layout, Shape};
use candle_rocm::{RocmError, RocmStorage};

use common::Random;
use harness::bits::compare;
use harness::data::mixed_storage;
use harness::tolerance::EXACT;
use harness::views::{LARGE, SHAPES, memory, views};
use harness::{DTYPES, Operand, len};

/// Applies the same change to the CPU's and each device's memory, and compares all of it: what must not change too.
fn check_change(
    what: &str,
    operand: &mut Operand,
    cpu: impl Fn(&mut CpuStorage) -> candle_core::Result<()>,
    rocm: impl Fn(usize, &mut RocmStorage) -> candle_core::Result<()>,
) {
    cpu(&mut operand.cpu).unwrap_or_else(|error| panic!("{what} on the CPU: {error}"));
    for (index, storage) in operand.rocm.iter_mut().enumerate() {
        let label = storage.device().label();
        rocm(index, storage).unwrap_or_else(|error| panic!("{what} on {label}: {error}"));
        let got = storage.to_cpu_storage().expect("download");
        if let Err(difference) = compare(&got, &operand.cpu, &EXACT) {
            panic!("{what} on {label}: {difference}");
        }
    }
}

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
        for shape in SHAPES.iter().chain(&LARGE[..1]) {
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
        for dtype in [DType::F4, DType::F6E2M3, DType::F6E3M2, DType::F8E8M0] {
            let error = device.zeros_impl(&Shape::from(4), dtype).unwrap_err();
            assert!(matches!(harness::rocm_error(&error), RocmError::UnsupportedDType { .. }), "{error}");
        }
    }
}

#[test]
fn copies_of_every_view() {
    let devices = common::devices();
    for dtype in DTYPES {
        for shape in SHAPES.iter().chain(LARGE) {
            let numel: usize = shape.iter().product();
            if numel > 100_000 && !matches!(dtype, DType::U8 | DType::F16 | DType::F32 | DType::F64) {
                continue;
            }
            let src = Operand::new(&devices, mixed_storage(dtype, memory(shape), 32));
            for (n, view) in views(shape).into_iter().enumerate() {
                let dst_offset = n % 4;
                let mut dst = Operand::new(&devices, mixed_storage(dtype, numel + dst_offset + 5, 33));
                check_change(
                    &format!("copy_strided_src of {dtype:?} from {view:?} to {dst_offset}.."),
                    &mut dst,
                    |cpu| src.cpu.copy_strided_src(cpu, dst_offset, &view),
                    |index, rocm| src.rocm[index].copy_strided_src(rocm, dst_offset, &view),
                );
            }
        }
    }
}

/// A destination that is too short bounds the copy.
#[test]
fn copies_end_with_the_destination() {
    for device in common::devices() {
        let src = device.storage_from_slice(&[1u32, 2, 3, 4, 5, 6]).expect("upload");
        let transposed = Layout::contiguous((2, 3)).transpose(0, 1).expect("transpose");
        for (layout, want) in [(Layout::contiguous(6), [0, 1, 2, 3]), (transposed, [0, 1, 4, 2])] {
            let mut dst = device.zeros_impl(&Shape::from(4), DType::U32).expect("zeros");
            src.copy_strided_src(&mut dst, 1, &layout).expect("copy");
            let CpuStorage::U32(got) = dst.to_cpu_storage().expect("download") else { panic!("not u32") };
            assert_eq!(got, want, "{layout:?}");
            src.copy_strided_src(&mut dst, 9, &layout).expect("nothing to copy");
        }
        // Rows of whole vectors, cut within one.
        let src = device.storage_from_slice(&(0..64).collect::<Vec<u32>>()).expect("upload");
        let rows = Layout::new((3, 16).into(), vec![20, 1], 1);
        let mut dst = device.zeros_impl(&Shape::from(40), DType::U32).expect("zeros");
        src.copy_strided_src(&mut dst, 2, &rows).expect("copy");
        let CpuStorage::U32(got) = dst.to_cpu_storage().expect("download") else { panic!("not u32") };
        let want = [0, 0].into_iter().chain(1..17).chain(21..37).chain(41..47).collect::<Vec<u32>>();
        assert_eq!(got, want);
    }
}

#[test]
fn copies_of_rows() {
    let devices = common::devices();
    let mut random = Random(34);
    let fixed = [
        (0, 5, 5, 5),
        (5, 0, 5, 5),
        (1, 7, 7, 9),
        (4, 6, 6, 6),
        (3, 5, 8, 5),
        (3, 5, 5, 8),
        (700, 33, 40, 35),
    ];
    // Rows that are read again and again: a source stride of 0.
    let fixed = fixed.into_iter().chain([(5, 3, 0, 3)]);
    let drawn: Vec<_> = (0..20)
        .map(|_| {
            let (d1, d2) = (1 + random.below(70), 1 + random.below(70));
            (d1, d2, d2 + random.below(9), d2 + random.below(9))
        })
        .collect();
    for (n, (d1, d2, src_s, dst_s)) in fixed.chain(drawn).enumerate() {
        let (src_o, dst_o) = (n % 5, (n + 2) % 4);
        for dtype in DTYPES {
            let src = Operand::new(&devices, mixed_storage(dtype, src_o + d1 * src_s + d2, 35));
            let mut dst = Operand::new(&devices, mixed_storage(dtype, dst_o + d1 * dst_s + d2, 36));
            check_change(
                &format!(
                    "copy2d of {dtype:?} ({d1}, {d2}) strides {src_s}, {dst_s} offsets {src_o}, {dst_o}"
                ),
                &mut dst,
                |cpu| src.cpu.copy2d(cpu, d1, d2, src_s, dst_s, src_o, dst_o),
                |index, rocm| src.rocm[index].copy2d(rocm, d1, d2, src_s, dst_s, src_o, dst_o),
            );
        }
    }
}

#[test]
fn copies_stay_inside() {
    for device in common::devices() {
        let src = device.storage_from_slice(&[1f32; 20]).expect("upload");
        let mut dst = device.storage_from_slice(&[2f32; 20]).expect("upload");
        let cases = [
            (4, 5, 6, 5, 0, 0),
            (4, 5, 5, 6, 0, 0),
            (4, 5, 5, 5, 1, 0),
            (4, 5, 5, 5, 0, 1),
            (2, usize::MAX, 1, 1, 0, 0),
        ];
        for (d1, d2, src_s, dst_s, src_o, dst_o) in cases {
            let error = src.copy2d(&mut dst, d1, d2, src_s, dst_s, src_o, dst_o).unwrap_err();
            assert!(matches!(harness::rocm_error(&error), RocmError::LayoutOutOfBounds { .. }), "{error}");
        }
        let mut other = device.storage_from_slice(&[2f64; 20]).expect("upload");
        let error = src.copy2d(&mut other, 1, 1, 1, 1, 0, 0).unwrap_err();
        assert!(matches!(harness::rocm_error(&error), RocmError::DTypeMismatch { .. }), "{error}");
        let error = src.copy_strided_src(&mut other, 0, &Layout::contiguous(4)).unwrap_err();
        assert!(matches!(harness::rocm_error(&error), RocmError::DTypeMismatch { .. }), "{error}");
        let error = src.copy_strided_src(&mut dst, 0, &Layout::contiguous(21)).unwrap_err();
        assert!(matches!(harness::rocm_error(&error), RocmError::LayoutOutOfBounds { .. }), "{error}");
        // Nothing was written.
        let CpuStorage::F32(got) = dst.to_cpu_storage().expect("download") else { panic!("not f32") };
        assert_eq!(got, [2.0; 20]);
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
