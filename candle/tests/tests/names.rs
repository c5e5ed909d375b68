//! Each operation has one name: in errors, in counters, and in the trace.

use std::fs;

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::op::{self, CmpOp, ReduceOp};
use candle_core::rocm::{self, Backend, FusedOp, QuantizedStorage};
use candle_core::scalar::Scalar;
use candle_core::{DType, Device, Layout, Result, Shape};
use candle_rocm::hip::trace;
use candle_rocm::quantized::QStorage;
use candle_rocm::{Fusion, RocmDevice, RocmStorage};
use candle_rocm_tests::devices;

/// Storages of 256 elements, and where their tensors begin.
struct Given {
    device: RocmDevice,
    x: RocmStorage,
    ids: RocmStorage,
    bytes: RocmStorage,
    offset: usize,
}

impl Given {
    fn on(device: &RocmDevice, offset: usize) -> Result<Self> {
        let zeros = |dtype| device.zeros_impl(&Shape::from(256), dtype);
        let (x, ids, bytes) = (zeros(DType::F32)?, zeros(DType::U32)?, zeros(DType::U8)?);
        Ok(Self { device: device.clone(), x, ids, bytes, offset })
    }

    fn l(&self, dims: impl Into<Shape>) -> Layout {
        Layout::contiguous_with_offset(dims, self.offset)
    }

    /// An operation that candle offers as a whole, of tensors of these shapes.
    fn fused(&self, op: FusedOp<'_>, shapes: &[&[usize]]) -> Result<()> {
        let layouts: Vec<_> = shapes.iter().map(|&dims| self.l(dims)).collect();
        let operands: Vec<_> = layouts.iter().map(|layout| (&self.x, layout)).collect();
        assert!(Backend::fused(&self.device, &op, &operands)?.is_some(), "{} is declined", op.name());
        Ok(())
    }

    /// Its gradients.
    fn gradients(&self, op: FusedOp<'_>, shapes: &[&[usize]], result: &[usize]) -> Result<()> {
        let layouts: Vec<_> = shapes.iter().map(|&dims| self.l(dims)).collect();
        let operands: Vec<_> = layouts.iter().map(|layout| (&self.x, layout)).collect();
        let (y, wanted) = (self.l(result), vec![true; shapes.len()]);
        let y = (&self.x, &y);
        let gradients = Backend::fused_backward(&self.device, &op, &operands, y, y, &wanted)?;
        assert!(gradients.is_some_and(|of| of.len() == shapes.len()), "{} is declined", op.backward_name());
        Ok(())
    }

    /// A product with quantized weights, rows of these, or experts.
    fn quantized(
        &self,
        run: impl Fn(&QStorage, &rocm::RocmStorage, &rocm::RocmStorage) -> Result<()>,
    ) -> Result<()> {
        let weights = QStorage::zeros(&self.device, 256, candle_core::quantized::GgmlDType::Q8_0)?;
        let device = Device::from(self.device.clone());
        let wrapped = |x: &RocmStorage| {
            let copy = x.try_clone(&Layout::contiguous(256))?;
            Ok::<_, candle_core::Error>(rocm::RocmStorage::wrap::<RocmDevice>(copy, device.as_rocm_device()?))
        };
        run(&weights, &wrapped(&self.x)?, &wrapped(&self.ids)?)
    }
}

type Run = fn(&Given) -> Result<()>;

const SDPA: FusedOp<'_> = FusedOp::Sdpa { scale: 1., softcapping: None, causal: false };
const SCALED: &[&[usize]] = &[&[4, 8], &[8], &[8]];
const HEADS: &[&[usize]] = &[&[1, 2, 4, 8], &[1, 2, 4, 8], &[1, 2, 4, 8]];

const OPERATIONS: &[(&str, Run)] = &[
    ("affine", |x| x.x.affine(&x.l(8), 2., 1.).map(drop)),
    ("powf", |x| x.x.powf(&x.l(8), 3.).map(drop)),
    ("elu", |x| x.x.elu(&x.l(8), 1.).map(drop)),
    ("exp", |x| x.x.unary_impl::<op::Exp>(&x.l(8)).map(drop)),
    ("gelu_erf", |x| x.x.unary_impl::<op::GeluErf>(&x.l(8)).map(drop)),
    ("add", |x| x.x.binary_impl::<op::Add>(&x.x, &x.l(8), &x.l(8)).map(drop)),
    ("maximum", |x| x.x.binary_impl::<op::Maximum>(&x.x, &x.l(8), &x.l(8)).map(drop)),
    ("cmp", |x| x.x.cmp(CmpOp::Lt, &x.x, &x.l(8), &x.l(8)).map(drop)),
    ("to_dtype", |x| x.x.to_dtype(&x.l(8), DType::F16).map(drop)),
    ("where_cond", |x| x.bytes.where_cond(&x.l(8), &x.x, &x.l(8), &x.x, &x.l(8)).map(drop)),
    ("copy_strided_src", |x| {
        let mut to = x.device.zeros_impl(&Shape::from(300), DType::F32)?;
        x.x.copy_strided_src(&mut to, 1, &x.l((4, 2)))
    }),
    ("copy2d", |x| {
        let mut to = x.device.zeros_impl(&Shape::from(300), DType::F32)?;
        x.x.copy2d(&mut to, 2, 3, 4, 5, x.offset, 0)
    }),
    ("const_set", |x| {
        let mut to = x.device.zeros_impl(&Shape::from(300), DType::F32)?;
        to.const_set(Scalar::F32(1.), &x.l(8))
    }),
    ("sum", |x| x.x.reduce_op(ReduceOp::Sum, &x.l((4, 2)), &[1]).map(drop)),
    ("argmax", |x| x.x.reduce_op(ReduceOp::ArgMax, &x.l((4, 2)), &[1]).map(drop)),
    ("conv1d", |x| x.convolution(&[1, 2, 5], &[3, 2, 2], false)),
    ("conv2d", |x| x.convolution(&[1, 2, 5, 5], &[3, 2, 2, 2], false)),
    ("conv_transpose1d", |x| x.convolution(&[1, 2, 5], &[2, 3, 2], true)),
    ("conv_transpose2d", |x| x.convolution(&[1, 2, 5, 5], &[2, 3, 2, 2], true)),
    ("avg_pool2d", |x| x.x.avg_pool2d(&x.l((1, 1, 4, 4)), (2, 2), (2, 2)).map(drop)),
    ("max_pool2d", |x| x.x.max_pool2d(&x.l((1, 1, 4, 4)), (2, 2), (2, 2)).map(drop)),
    ("upsample_nearest1d", |x| x.x.upsample_nearest1d(&x.l((1, 1, 4)), 8).map(drop)),
    ("upsample_nearest2d", |x| x.x.upsample_nearest2d(&x.l((1, 1, 4, 4)), 8, 8).map(drop)),
    ("upsample_bilinear2d", |x| {
        x.x.upsample_bilinear2d(&x.l((1, 1, 4, 4)), 8, 8, false, None, None).map(drop)
    }),
    ("gather", |x| x.x.gather(&x.l((4, 2)), &x.ids, &x.l((4, 2)), 0).map(drop)),
    ("index_select", |x| x.x.index_select(&x.ids, &x.l((4, 2)), &x.l(3), 0).map(drop)),
    ("index_add", |x| x.x.index_add(&x.l((4, 2)), &x.ids, &x.l(3), &x.x, &x.l((3, 2)), 0).map(drop)),
    ("scatter_set", |x| {
        let mut to = x.device.zeros_impl(&Shape::from(300), DType::F32)?;
        to.scatter_set(&x.l((4, 2)), &x.ids, &x.l((4, 2)), &x.x, &x.l((4, 2)), 0)
    }),
    ("scatter_add_set", |x| {
        let mut to = x.device.zeros_impl(&Shape::from(300), DType::F32)?;
        to.scatter_add_set(&x.l((4, 2)), &x.ids, &x.l((4, 2)), &x.x, &x.l((4, 2)), 0)
    }),
    ("matmul", |x| x.x.matmul(&x.x, (1, 4, 2, 4), &x.l((1, 4, 4)), &x.l((1, 4, 2))).map(drop)),
    ("sigmoid", |x| x.fused(FusedOp::Sigmoid, &[&[8]])),
    ("softmax-last-dim", |x| x.fused(FusedOp::SoftmaxLastDim, &[&[4, 8]])),
    ("rms-norm", |x| x.fused(FusedOp::RmsNorm { eps: 1. }, &SCALED[..2])),
    ("layer-norm", |x| x.fused(FusedOp::LayerNorm { eps: 1. }, SCALED)),
    ("group-norm", |x| x.fused(FusedOp::GroupNorm { groups: 2, eps: 1. }, SCALED)),
    ("rope", |x| x.fused(FusedOp::Rope, &[&[1, 2, 4, 8], &[4, 4], &[4, 4]])),
    ("rope-i", |x| x.fused(FusedOp::RopeInterleaved, &[&[1, 2, 4, 8], &[4, 4], &[4, 4]])),
    ("rope-thd", |x| x.fused(FusedOp::RopeThd, &[&[1, 4, 2, 8], &[4, 4], &[4, 4]])),
    ("cat", |x| x.fused(FusedOp::Cat { dim: 1 }, &[&[2, 3], &[2, 4]])),
    ("cumsum", |x| x.fused(FusedOp::CumSum { dim: 1 }, &[&[4, 8]])),
    ("argsort", |x| x.fused(FusedOp::ArgSort { ascending: true }, &[&[4, 8]])),
    ("sdpa", |x| x.fused(SDPA, HEADS)),
    ("moe", |x| {
        let op = FusedOp::Moe { topk: 1, is_prefill: false };
        // One token: two of one number would be rows of the result that are written twice.
        let (rows, weights, list) = (x.l((1, 8)), x.l((3, 4, 8)), x.l(1));
        let operands = [(&x.x, &rows), (&x.x, &weights), (&x.ids, &list), (&x.ids, &list)];
        Backend::fused(&x.device, &op, &operands).map(drop)
    }),
    ("sigmoid backward", |x| x.gradients(FusedOp::Sigmoid, &[&[8]], &[8])),
    ("softmax-last-dim backward", |x| x.gradients(FusedOp::SoftmaxLastDim, &[&[4, 8]], &[4, 8])),
    ("rms-norm backward", |x| x.gradients(FusedOp::RmsNorm { eps: 1. }, &SCALED[..2], &[4, 8])),
    ("layer-norm backward", |x| x.gradients(FusedOp::LayerNorm { eps: 1. }, SCALED, &[4, 8])),
    ("group-norm backward", |x| x.gradients(FusedOp::GroupNorm { groups: 2, eps: 1. }, SCALED, &[4, 8])),
    ("qmatmul", |x| {
        x.quantized(|weights, x_, _| {
            QuantizedStorage::forward(weights, &Shape::from((4, 64)), x_, &x.l((2, 64))).map(drop)
        })
    }),
    ("quantized embedding", |x| {
        x.quantized(|weights, _, ids| weights.embedding((4, 64), ids, &x.l(3)).map(drop))
    }),
    ("indexed_moe_forward", |x| {
        x.quantized(|weights, x_, ids| {
            let (vectors, list) = (x.l((2, 1, 64)), x.l((2, 1)));
            weights.indexed_moe_forward(&Shape::from((2, 2, 64)), (x_, &vectors), (ids, &list)).map(drop)
        })
    }),
];

impl Given {
    /// With candle's offer, as its parameters of each kind cannot be made here.
    fn convolution(&self, x: &[usize], kernel: &[usize], transposed: bool) -> Result<()> {
        let params = rocm::Convolution {
            padding: 0,
            stride: 1,
            dilation: 1,
            groups: 1,
            transposed,
            output_padding: 0,
        };
        self.fused(FusedOp::Convolution(params), &[x, kernel])
    }
}

#[test]
fn operations_have_one_name() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let Some(device) = devices().into_iter().next() else { return Ok(()) };
    let device = device.as_rocm_device()?.downcast_ref::<RocmDevice>().expect("a candle-rocm device").clone();
    let path = folder.path().join("trace.json");
    trace::start(&path).expect("a trace");
    let (given, far) = (Given::on(&device, 0)?, Given::on(&device, 1 << 20)?);
    for fusion in [Fusion::Off, Fusion::On] {
        device.set_fusion(fusion);
        for (name, run) in OPERATIONS {
            device.set_profiling(true);
            run(&given).unwrap_or_else(|error| panic!("{name}: {error}"));
            device.synchronize()?;
            let counters = device.counters();
            let alone = counters.operations.keys().copied().collect::<Vec<_>>();
            // Nobody reads what was recorded.
            let recorded = fusion == Fusion::On && alone.is_empty() && counters.launches_saved > 0;
            assert!(recorded || alone == [*name], "{name} counts as {alone:?}");
            device.set_profiling(false);
            let error = run(&far).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(error.contains(name), "{name} fails as: {error}");
        }
    }
    device.synchronize()?;
    let trace = fs::read_to_string(path)?;
    for (name, _) in OPERATIONS {
        assert!(trace.contains(&format!("\"{name}\"")), "{name} is not in the trace");
    }
    Ok(())
}
