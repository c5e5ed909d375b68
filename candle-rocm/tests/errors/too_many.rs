//! Tensors of more than 2^64 elements, which take no memory where they are views of one: each family of operations says that
//! they are too many, rather than allocate what the product wraps to.

use crate::common::devices_without_kernels;
use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::op::{self, CmpOp, ReduceOp};
use candle_core::quantized::GgmlDType;
use candle_core::scalar::Scalar;
use candle_core::{DType, Layout, Shape};
use candle_rocm::quantized::QStorage;
use candle_rocm::{Convolution, RocmDevice, RocmError, RocmStorage, nn};

/// Its square is 2^66, which wraps to 0.
const LARGE: usize = 1 << 33;

/// One element, seen as often as the dimensions say.
fn view(dims: &[usize]) -> Layout {
    Layout::new(dims.into(), vec![0; dims.len()], 0)
}

#[track_caller]
fn too_many<T>(op: &str, result: Result<T, impl Into<candle_core::Error>>) {
    let error: candle_core::Error = match result {
        Ok(_) => panic!("{op}: no error"),
        Err(error) => error.into(),
    };
    match RocmError::of(&error) {
        Some(RocmError::TooManyElements { op: said, shape }) => {
            assert_eq!(*said, op);
            let bits: f64 = shape.iter().map(|&size| (size as f64).log2()).sum();
            assert!(bits >= 64., "{op}: {shape:?}");
        }
        _ => panic!("{op}: {error}"),
    }
}

fn devices() -> Vec<(RocmDevice, RocmStorage)> {
    let one = |device: RocmDevice| {
        let x = device.storage_from_slice(&[1f32]).unwrap();
        (device, x)
    };
    devices_without_kernels().into_iter().map(one).collect()
}

#[test]
fn new_tensors() {
    for (device, _) in devices() {
        let shape = Shape::from((LARGE, LARGE));
        too_many("zeros", device.zeros_impl(&shape, DType::F32));
        // SAFETY: there is none.
        too_many("alloc_uninit", unsafe { device.alloc_uninit(&shape, DType::F32) });
        too_many("rand_uniform", device.rand_uniform(&shape, DType::F32, 0., 1.));
        too_many("rand_normal", device.rand_normal(&shape, DType::F32, 0., 1.));
        // What can be counted, but not in bytes, is more than the device has.
        let error =
            device.zeros_impl(&Shape::from((1 << 31, 1 << 32)), DType::F64).err().map(|e| e.to_string());
        assert!(error.as_ref().is_some_and(|text| text.contains("out of memory")), "{error:?}");
        assert!(device.zeros_impl(&Shape::from((LARGE, LARGE, 0)), DType::F32).is_ok());
    }
}

#[test]
fn elementwise() {
    for (device, mut x) in devices() {
        let l = view(&[LARGE, LARGE]);
        let cond = device.storage_from_slice(&[1u8]).unwrap();
        too_many("affine", x.affine(&l, 2., 1.));
        too_many("powf", x.powf(&l, 2.));
        too_many("elu", x.elu(&l, 2.));
        too_many("exp", x.unary_impl::<op::Exp>(&l));
        too_many("to_dtype", x.to_dtype(&l, DType::F16));
        too_many("add", x.binary_impl::<op::Add>(&x, &l, &l));
        too_many("cmp", x.cmp(CmpOp::Lt, &x, &l, &l));
        too_many("where_cond", cond.where_cond(&l, &x, &l, &x, &l));
        let mut copy = device.storage_from_slice(&[0f32]).unwrap();
        too_many("copy_strided_src", x.copy_strided_src(&mut copy, 0, &l));
        too_many("const_set", x.const_set(Scalar::F32(1.), &l));
        too_many("cumsum", x.cumsum(&l, 1));
        too_many("argsort", x.argsort(&l, true, LARGE));
    }
}

#[test]
fn reductions() {
    for (_, x) in devices() {
        let l = view(&[LARGE, LARGE]);
        for (name, op) in [
            ("sum", ReduceOp::Sum),
            ("max", ReduceOp::Max),
            ("min", ReduceOp::Min),
            ("argmax", ReduceOp::ArgMax),
            ("argmin", ReduceOp::ArgMin),
        ] {
            too_many(name, x.reduce_op(op, &l, &[1]));
        }
        // Nothing is reduced to more elements than there can be, or to none.
        let empty = view(&[LARGE, LARGE, 0]);
        too_many("sum", x.reduce_op(ReduceOp::Sum, &empty, &[2]));
        assert!(x.reduce_op(ReduceOp::Sum, &empty, &[0, 1]).is_ok());
        assert!(x.affine(&empty, 2., 1.).is_ok());
        assert!(x.cumsum(&empty, 1).is_ok());
    }
}

#[test]
fn products() {
    for (_, x) in devices() {
        let (lhs, rhs) = (view(&[LARGE, 1]), view(&[1, LARGE]));
        too_many("matmul", x.matmul(&x, (1, LARGE, LARGE, 1), &lhs, &rhs));
        let (lhs, rhs) = (view(&[LARGE, LARGE, 1, 1]), view(&[LARGE, LARGE, 1, 1]));
        too_many("matmul", x.matmul(&x, (0, 1, 1, 1), &lhs, &rhs));
        let (lhs, rhs) = (view(&[1 << 20, 1 << 20, 0]), view(&[1 << 20, 0, 1 << 40]));
        too_many("matmul", x.matmul(&x, (1 << 20, 1 << 20, 1 << 40, 0), &lhs, &rhs));
    }
}

#[test]
fn indexing() {
    for (device, mut x) in devices() {
        let ids = device.storage_from_slice(&[0u32]).unwrap();
        let l = view(&[LARGE, LARGE]);
        too_many("index_select", x.index_select(&ids, &view(&[LARGE, 1]), &view(&[LARGE]), 1));
        too_many("index_select", x.index_select(&ids, &view(&[LARGE, LARGE, 0]), &view(&[1]), 2));
        too_many("gather", x.gather(&view(&[LARGE, 1]), &ids, &l, 1));
        let src = device.storage_from_slice(&[1f32]).unwrap();
        let one = Layout::contiguous((1, 1));
        too_many("scatter_set", x.scatter_set(&one, &ids, &l, &src, &l, 1));
        too_many("scatter_add_set", x.scatter_add_set(&one, &ids, &l, &src, &l, 1));
        too_many("index_add", x.index_add(&one, &ids, &view(&[LARGE]), &src, &l, 1));
        too_many("index_add", x.index_add(&l, &ids, &view(&[LARGE]), &src, &l, 1));
        let part = view(&[LARGE, 1 << 30]);
        too_many("cat", RocmStorage::cat(&[(&x, &part), (&x, &part), (&x, &part), (&x, &part)], 1));
    }
}

#[test]
fn images() {
    for (_, x) in devices() {
        let (image, kernel) = (view(&[1, 1, 1 << 20, 1 << 20]), view(&[1 << 30, 1, 1, 1]));
        too_many("conv2d", x.convolve(&image, (&x, &kernel), &Convolution::default()));
        let (line, taps) = (view(&[1 << 30, 1, 1 << 30]), view(&[1 << 4, 1, 1]));
        assert!(x.convolve(&line, (&x, &taps), &Convolution::default()).is_err());
        let transposed = Convolution { transposed: true, ..Convolution::default() };
        let kernel = view(&[1, 1 << 30, 1, 1]);
        too_many("conv_transpose2d", x.convolve(&image, (&x, &kernel), &transposed));
        let images = view(&[LARGE, LARGE, 2, 2]);
        too_many("avg_pool2d", x.avg_pool2d(&images, (2, 2), (2, 2)));
        too_many("max_pool2d", x.max_pool2d(&images, (2, 2), (2, 2)));
        let pixels = view(&[1 << 20, 1 << 10, 1, 1]);
        let side = 1 << 30;
        too_many("upsample_nearest2d", x.upsample_nearest2d(&pixels, side, side));
        too_many("upsample_bilinear2d", x.upsample_bilinear2d(&pixels, side, side, false, None, None));
        let error = x.upsample_nearest1d(&view(&[1 << 20, 1 << 10, 1]), side).err().map(|e| e.to_string());
        assert!(error.as_ref().is_some_and(|text| text.contains("out of memory")), "{error:?}");
    }
}

#[test]
fn layers() {
    for (device, x) in devices() {
        let l = view(&[LARGE, LARGE]);
        let one = Layout::contiguous(1);
        let images = view(&[LARGE, LARGE, 1, 1]);
        too_many("softmax-last-dim", nn::softmax_last_dim(&x, &l));
        too_many("sigmoid", nn::sigmoid(&x, &l));
        too_many("rms-norm", nn::rms_norm(&x, &l, Some((&x, &one)), 1e-5));
        too_many("layer-norm", nn::layer_norm(&x, &l, Some((&x, &one)), None, 1e-5));
        too_many("group-norm", nn::group_norm(&x, &images, (&x, &one), (&x, &one), 1, 1e-5));
        too_many("rope", nn::rope(&x, &images, (&x, &one), (&x, &one)));
        // Operands that have a place in memory each, and a result that has none.
        let long = device.zeros_impl(&Shape::from(1 << 20), DType::F32).unwrap();
        let rows = |t: usize, d: usize| Layout::new((LARGE, 1, t, d).into(), vec![0, 0, 0, 1], 0);
        let fully_masked = nn::FullyMasked::Zeros;
        let attention = nn::Attention { scale: 1., softcapping: None, causal: false, fully_masked };
        let (q, k, v) = (rows(1 << 15, 8), rows(1, 8), rows(1, 1 << 20));
        too_many("sdpa", nn::sdpa((&long, &q), (&long, &k), (&long, &v), None, attention));
        let weights = QStorage::zeros(&device, 32, GgmlDType::Q8_0).unwrap();
        let vectors = Layout::new((LARGE, LARGE, 32).into(), vec![0, 0, 1], 0);
        assert!(matches!(weights.forward((1, 32), &long, &vectors), Err(RocmError::TooManyElements { .. })));
    }
}
