//! Choosing between two tensors on the devices against candle's CPU.

use candle_core::backend::BackendStorage;
use candle_core::{CpuStorage, DType, Layout};
use candle_rocm::RocmError;

use crate::common::Random;
use crate::harness::calls::Where;
use crate::harness::data::mixed_storage;
use crate::harness::views::{large_shapes, memory, shapes, views};
use crate::harness::{DTYPES, Operand, check, convert, int_dtypes};
use crate::{common, harness};

/// Zeros and other numbers, half and half.
fn conditions(dtype: DType, len: usize, seed: u64) -> CpuStorage {
    let mut random = Random(seed);
    let values = (0..len).map(|_| if random.below(2) == 0 { 0 } else { 1 + random.below(200) as i64 });
    convert(&CpuStorage::I64(values.collect()), dtype).expect("integers convert")
}

#[test]
fn every_dtype_in_every_view() {
    let devices = common::devices();
    for cond_dtype in int_dtypes() {
        for dtype in DTYPES {
            for shape in shapes() {
                let cond = Operand::new(&devices, conditions(cond_dtype, memory(shape), 21));
                let t = Operand::new(&devices, mixed_storage(dtype, memory(shape), 22));
                let f = Operand::new(&devices, mixed_storage(dtype, memory(shape), 23));
                let views = views(shape);
                // Each view in each place, next to different ones.
                for i in 0..views.len() {
                    let [a, b, c] = [0, 1, 3].map(|step| &views[(i + step) % views.len()]);
                    check(&Where, &[(&cond, a), (&t, b), (&f, c)]);
                    check(&Where, &[(&cond, a), (&t, &views[0]), (&f, &views[0])]);
                }
            }
        }
    }
}

#[test]
fn large_tensors() {
    let devices = common::devices();
    for shape in large_shapes() {
        let cond = Operand::new(&devices, conditions(DType::U8, memory(shape), 24));
        for dtype in harness::OF_EACH_SIZE {
            let t = Operand::new(&devices, mixed_storage(dtype, memory(shape), 25));
            let f = Operand::new(&devices, mixed_storage(dtype, memory(shape), 26));
            let contiguous = Layout::contiguous(*shape);
            for view in views(shape) {
                check(&Where, &[(&cond, &view), (&t, &contiguous), (&f, &contiguous)]);
            }
            let scalar = Layout::new((*shape).into(), vec![0; shape.len()], 1);
            check(&Where, &[(&cond, &contiguous), (&t, &contiguous), (&f, &scalar)]);
        }
    }
}

#[test]
fn wrong_dtypes_are_named() {
    for device in common::devices() {
        let operand = |cpu| Operand::new(std::slice::from_ref(&device), cpu).rocm.remove(0);
        let (f32s, f16s) =
            (operand(CpuStorage::F32(vec![1.0; 4])), operand(CpuStorage::F16(vec![half::f16::ONE; 4])));
        let cond = operand(CpuStorage::U8(vec![1; 4]));
        let l = Layout::contiguous(4);

        let error = f32s.where_cond(&l, &f32s, &l, &f32s, &l).unwrap_err();
        let typed = harness::rocm_error(&error);
        assert!(matches!(typed, RocmError::InvalidArgument { .. }), "{error}");
        assert_eq!(typed.to_string(), "where_cond: expected a condition of integers, got f32");

        let error = cond.where_cond(&l, &f32s, &l, &f16s, &l).unwrap_err();
        let typed = harness::rocm_error(&error);
        assert!(
            matches!(typed, RocmError::DTypeMismatch { lhs: DType::F32, rhs: DType::F16, .. }),
            "{error}"
        );
        let short = Layout::contiguous(3);
        let error = cond.where_cond(&short, &f32s, &l, &f32s, &l).unwrap_err();
        assert!(matches!(harness::rocm_error(&error), RocmError::ShapeMismatch { .. }), "{error}");
    }
}
