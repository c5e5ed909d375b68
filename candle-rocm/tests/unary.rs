//! Functions of one tensor on the devices against candle's CPU.

mod common;
mod harness;

use candle_core::DType;
use candle_core::op::*;

use harness::calls::{Affine, Elu, Powf, unary};
use harness::data::{mixed_storage, special_storage};
use harness::views::{LARGE, SHAPES, memory, views};
use harness::{Call, DTYPES, Operand, check, float_dtypes, int_dtypes};

/// Every view of every shape, and every special value.
fn everywhere<C: Call>(call: &C, dtypes: impl Iterator<Item = DType>) {
    let devices = common::devices();
    for dtype in dtypes {
        for shape in SHAPES {
            let operand = Operand::new(&devices, mixed_storage(dtype, memory(shape), 1));
            for view in views(shape) {
                check(call, &[(&operand, &view)]);
            }
        }
        let special = Operand::new(&devices, special_storage(dtype));
        let all = candle_core::Layout::contiguous(harness::len(&special.cpu));
        check(call, &[(&special, &all)]);
    }
}

/// Large tensors, in the layouts that have kernels of their own.
fn large<C: Call>(call: &C, dtypes: impl Iterator<Item = DType>) {
    let devices = common::devices();
    for dtype in dtypes {
        for shape in LARGE {
            let operand = Operand::new(&devices, mixed_storage(dtype, memory(shape), 2));
            for view in views(shape) {
                check(call, &[(&operand, &view)]);
            }
        }
    }
}

macro_rules! float_functions {
    ($($test:ident $op:ident)*) => {$(
        #[test]
        fn $test() {
            everywhere(&unary::<$op>(), float_dtypes());
        }
    )*};
}

float_functions! {
    exp Exp
    log Log
    sin Sin
    cos Cos
    tanh Tanh
    abs Abs
    neg Neg
    recip Recip
    sqr Sqr
    sqrt Sqrt
    gelu Gelu
    gelu_erf GeluErf
    erf Erf
    silu Silu
}

macro_rules! functions_of_any_number {
    ($($test:ident $op:ident)*) => {$(
        #[test]
        fn $test() {
            everywhere(&unary::<$op>(), DTYPES.into_iter());
        }
    )*};
}

functions_of_any_number! {
    ceil Ceil
    floor Floor
    round Round
    relu Relu
    sign Sign
}

#[test]
fn affine() {
    everywhere(&Affine(1.5, -0.75), float_dtypes());
    everywhere(&Affine(3.0, 7.0), int_dtypes());
    // Constants that no narrow dtype holds: they are rounded first.
    everywhere(&Affine(0.1, 1e-3), float_dtypes());
    everywhere(&Affine(-1.0, 300.0), int_dtypes());
}

#[test]
fn powf() {
    for e in [2.0, 0.5, -1.5, 0.0] {
        everywhere(&Powf(e), float_dtypes());
    }
}

#[test]
fn elu() {
    everywhere(&Elu(1.0), float_dtypes());
    everywhere(&Elu(-0.5), float_dtypes());
}

#[test]
fn large_tensors() {
    large(&unary::<Neg>(), float_dtypes());
    large(&Affine(2.0, 1.0), DTYPES.into_iter());
}
