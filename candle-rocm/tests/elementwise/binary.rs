//! Arithmetic and comparisons of two tensors on the devices against candle's CPU.

use candle_core::op::*;
use candle_core::{DType, Layout};

use crate::common;
use crate::harness::calls::{Compare, binary};
use crate::harness::data::{divisor_storage, mixed_storage, special_storage};
use crate::harness::views::{large_shapes, memory, shapes, views};
use crate::harness::{Call, DTYPES, Operand, check, len};

/// All pairs of views of all shapes, and all pairs of special values.
fn everywhere<C: Call>(call: &C) {
    let devices = common::devices();
    for dtype in DTYPES {
        let rhs_storage = if call.name() == "div" { divisor_storage } else { mixed_storage };
        for shape in shapes() {
            let lhs = Operand::new(&devices, mixed_storage(dtype, memory(shape), 3));
            let rhs = Operand::new(&devices, rhs_storage(dtype, memory(shape), 4));
            for lhs_view in views(shape) {
                for rhs_view in views(shape) {
                    check(call, &[(&lhs, &lhs_view), (&rhs, &rhs_view)]);
                }
            }
        }
        if call.name() != "div" || dtype.is_float() {
            let special = Operand::new(&devices, special_storage(dtype));
            let n = len(&special.cpu);
            let (down, right) =
                (Layout::new((n, n).into(), vec![1, 0], 0), Layout::new((n, n).into(), vec![0, 1], 0));
            check(call, &[(&special, &down), (&special, &right)]);
        }
    }
}

/// Large tensors: equal layouts, and a row or a column broadcast.
fn large<C: Call>(call: &C, dtypes: impl Iterator<Item = DType>) {
    let devices = common::devices();
    for dtype in dtypes {
        for shape in large_shapes() {
            let lhs = Operand::new(&devices, mixed_storage(dtype, memory(shape), 5));
            let rhs = Operand::new(&devices, mixed_storage(dtype, memory(shape), 6));
            let contiguous = Layout::contiguous(*shape);
            for view in views(shape) {
                check(call, &[(&lhs, &contiguous), (&rhs, &view)]);
            }
            check(call, &[(&lhs, &views(shape)[2]), (&rhs, &views(shape)[2])]);
        }
    }
}

#[test]
fn add() {
    everywhere(&binary::<Add>());
}

#[test]
fn sub() {
    everywhere(&binary::<Sub>());
}

#[test]
fn mul() {
    everywhere(&binary::<Mul>());
}

#[test]
fn div() {
    everywhere(&binary::<Div>());
}

#[test]
fn maximum() {
    everywhere(&binary::<Maximum>());
}

#[test]
fn minimum() {
    everywhere(&binary::<Minimum>());
}

#[test]
fn comparisons() {
    for op in [CmpOp::Eq, CmpOp::Ne, CmpOp::Lt, CmpOp::Le, CmpOp::Gt, CmpOp::Ge] {
        everywhere(&Compare(op));
    }
}

#[test]
fn large_tensors() {
    large(&binary::<Add>(), DTYPES.into_iter());
    large(&Compare(CmpOp::Lt), [DType::U8, DType::F32].into_iter());
}
