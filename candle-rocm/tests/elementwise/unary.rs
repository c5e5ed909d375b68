//! Functions of one tensor on the devices against candle's CPU.

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::cpu_backend::CpuDevice;
use candle_core::op::*;
use candle_core::{CpuStorage, DType, Layout};

use crate::harness::calls::{Affine, Elu, Powf, unary};
use crate::harness::data::{mixed_storage, special_storage};
use crate::harness::tolerance::EXACT;
use crate::harness::views::{large_shapes, memory, shapes, views};
use crate::harness::{Call, DTYPES, Operand, check, check_against, float_dtypes, int_dtypes};
use crate::{common, harness};

/// Every view of every shape, and every special value.
fn everywhere<C: Call>(call: &C, dtypes: impl Iterator<Item = DType>) {
    let devices = common::devices();
    for dtype in dtypes {
        for shape in shapes() {
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
        for shape in large_shapes() {
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

/// What candle's CPU lacks for integers: wrapping, as arithmetic of two of them is.
#[test]
fn integers_wrap() {
    macro_rules! each {
        ($storage:expr, |$x:ident| $signed:expr, $unsigned:expr) => {
            match $storage {
                CpuStorage::U8(data) => CpuStorage::U8(data.iter().map(|$x| $unsigned).collect()),
                CpuStorage::U32(data) => CpuStorage::U32(data.iter().map(|$x| $unsigned).collect()),
                CpuStorage::I16(data) => CpuStorage::I16(data.iter().map(|$x| $signed).collect()),
                CpuStorage::I32(data) => CpuStorage::I32(data.iter().map(|$x| $signed).collect()),
                CpuStorage::I64(data) => CpuStorage::I64(data.iter().map(|$x| $signed).collect()),
                other => panic!("{:?} are no integers", other.dtype()),
            }
        };
    }
    let devices = common::devices();
    let agree = |operand: &Operand, view: &Layout| {
        let shape = view.shape();
        let mut x = CpuDevice.zeros_impl(shape, operand.dtype()).expect("zeros");
        operand.cpu.copy_strided_src(&mut x, 0, view).expect("the view's elements");
        let abs = each!(&x, |x| x.wrapping_abs(), *x);
        let neg = each!(&x, |x| x.wrapping_neg(), x.wrapping_neg());
        let sqr = each!(&x, |x| x.wrapping_mul(*x), x.wrapping_mul(*x));
        check_against(&unary::<Abs>(), &[(operand, view)], &abs, &EXACT);
        check_against(&unary::<Neg>(), &[(operand, view)], &neg, &EXACT);
        check_against(&unary::<Sqr>(), &[(operand, view)], &sqr, &EXACT);
    };
    for dtype in int_dtypes() {
        for shape in shapes() {
            let operand = Operand::new(&devices, mixed_storage(dtype, memory(shape), 1));
            views(shape).iter().for_each(|view| agree(&operand, view));
        }
        let special = Operand::new(&devices, special_storage(dtype));
        agree(&special, &Layout::contiguous(harness::len(&special.cpu)));
    }
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
    for e in [2.0, 0.5, -1.5, 0.0, -1.0, 3.0, 96.0] {
        everywhere(&Powf(e), float_dtypes());
    }
}

/// Against f64: bases where the logarithm is small, large, or that of any number, exponents that use all of float's range.
#[test]
fn powers_are_precise() {
    let mut random = common::Random(5);
    let mut x: Vec<f32> =
        (0..30_000).map(|_| 0.5 + (random.next() >> 40) as f32 / (1 << 24) as f32).collect();
    x.extend((0..30_000).map(|_| f32::from_bits(random.next() as u32)));
    x.extend([0.0, -0.0, 1.0, -1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MIN_POSITIVE / 8.0]);
    let layout = Layout::contiguous(x.len());
    for device in common::devices() {
        let src = device.storage_from_slice(&x).expect("upload");
        let exponents =
            [2.5f32, 0.3, -3.0, 17.0, -254.7, 268.5, 1e-5, 1e9, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
        for y in exponents {
            let out = src.powf(&layout, f64::from(y)).and_then(|out| out.to_cpu_storage()).expect("powf");
            let CpuStorage::F32(got) = out else { panic!("not f32") };
            for (&x, got) in x.iter().zip(got) {
                let want = f64::from(x).powf(f64::from(y));
                let exact = want as f32;
                // What is halfway to infinity or to 0 may be rounded either way, and is not met by chance.
                let ulp = if exact.is_finite() {
                    f64::from(exact.abs().next_up()) - f64::from(exact.abs())
                } else {
                    0.0
                };
                let same = (got.is_nan() && exact.is_nan()) || got.to_bits() == exact.to_bits();
                assert!(
                    same || (f64::from(got) - want).abs() <= 2.0 * ulp,
                    "{x:e} ^ {y:e}: {got:e}, not {want:e}"
                );
            }
        }
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
