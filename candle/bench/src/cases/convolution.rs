//! Convolutions, pooling, upsampling.

use candle_core::{DType, Result, Tensor};

use super::{FLOATS, Plan, arguments, list};
use crate::bars::Bar;
use crate::case::Case;

const GROUP: &str = "convolution";

type Convolve = fn(&Tensor, &Tensor) -> Result<Tensor>;
type Resample = fn(&Tensor) -> Result<Tensor>;

/// A convolution: its operands, the operation, and the same in Python.
struct Convolution {
    name: &'static str,
    batch: usize,
    channels: usize,
    extents: &'static [usize],
    kernel: &'static [usize],
    suffix: &'static str,
    run: Convolve,
    python: &'static str,
    /// The bar: speed relative to candle.
    faster: f64,
}

const CONVOLUTIONS: [Convolution; 8] = [
    Convolution {
        name: "conv2d",
        batch: 8,
        channels: 64,
        extents: &[56, 56],
        kernel: &[64, 64, 3, 3],
        suffix: "p1",
        run: |x, w| x.conv2d(w, 1, 1, 1, 1),
        python: "F.conv2d(x, w, padding=1)",
        faster: 1.,
    },
    Convolution {
        name: "conv2d_1x1",
        batch: 8,
        channels: 64,
        extents: &[56, 56],
        kernel: &[256, 64, 1, 1],
        suffix: "",
        run: |x, w| x.conv2d(w, 0, 1, 1, 1),
        python: "F.conv2d(x, w)",
        faster: 1.,
    },
    Convolution {
        name: "conv2d_depthwise",
        batch: 8,
        channels: 64,
        extents: &[56, 56],
        kernel: &[64, 1, 3, 3],
        suffix: "g64",
        run: |x, w| x.conv2d(w, 1, 1, 1, 64),
        python: "F.conv2d(x, w, padding=1, groups=64)",
        faster: 20.,
    },
    Convolution {
        name: "conv2d_stem",
        batch: 8,
        channels: 3,
        extents: &[224, 224],
        kernel: &[64, 3, 7, 7],
        suffix: "s2p3",
        run: |x, w| x.conv2d(w, 3, 2, 1, 1),
        python: "F.conv2d(x, w, stride=2, padding=3)",
        faster: 1.,
    },
    Convolution {
        name: "conv2d_sd",
        batch: 1,
        channels: 512,
        extents: &[64, 64],
        kernel: &[512, 512, 3, 3],
        suffix: "p1",
        run: |x, w| x.conv2d(w, 1, 1, 1, 1),
        python: "F.conv2d(x, w, padding=1)",
        faster: 1.,
    },
    Convolution {
        name: "conv1d",
        batch: 8,
        channels: 256,
        extents: &[4096],
        kernel: &[256, 256, 3],
        suffix: "p1",
        run: |x, w| x.conv1d(w, 1, 1, 1, 1),
        python: "F.conv1d(x, w, padding=1)",
        faster: 1.,
    },
    Convolution {
        name: "conv_transpose1d",
        batch: 8,
        channels: 256,
        extents: &[4096],
        kernel: &[256, 256, 3],
        suffix: "s2",
        run: |x, w| x.conv_transpose1d(w, 0, 0, 2, 1, 1),
        python: "F.conv_transpose1d(x, w, stride=2)",
        faster: 1.,
    },
    Convolution {
        name: "conv_transpose2d",
        batch: 8,
        channels: 64,
        extents: &[56, 56],
        kernel: &[64, 64, 3, 3],
        suffix: "s2p1o1",
        run: |x, w| x.conv_transpose2d(w, 1, 1, 2, 1),
        python: "F.conv_transpose2d(x, w, stride=2, padding=1, output_padding=1)",
        faster: 1.,
    },
];

pub(super) fn cases(plan: &Plan) -> Vec<Case> {
    let mut cases = Vec::new();
    for dtype in FLOATS {
        cases.extend(CONVOLUTIONS.iter().map(|convolution| convolve(plan, convolution, dtype)));
        cases.extend(pools(plan, dtype));
        cases.extend(upsamples(plan, dtype));
    }
    cases
}

fn convolve(plan: &Plan, convolution: &Convolution, dtype: DType) -> Case {
    let (run, kernel) = (convolution.run, convolution.kernel);
    // candle's CPU backend, the reference of quick runs, computes this incorrectly for batches larger than 1.
    let batch = if plan.quick && convolution.name == "conv_transpose1d" { 1 } else { convolution.batch };
    let mut dims = vec![batch, convolution.channels];
    dims.extend(convolution.extents.iter().map(|extent| plan.extent(*extent)));
    let setup = format!("x, w = u({}), u({})", arguments(&dims), arguments(kernel));
    let shape = format!("{}x{}{}", list(&dims), list(kernel), convolution.suffix);
    Case::new(GROUP, convolution.name, dtype, shape, move |side| {
        let (x, w) = (side.uniform(&dims, dtype)?, side.uniform_seeded(1, kernel, dtype)?);
        Ok(Box::new(move || run(&x, &w)))
    })
    .tolerance(if dtype == DType::F32 { 1e-3 } else { 5e-2 })
    .bar(Bar::Stock(convolution.faster))
    .torch(setup, convolution.python)
}

fn pools(plan: &Plan, dtype: DType) -> [Case; 2] {
    let extent = plan.extent(112);
    let dims = [8, 64, extent, extent];
    let count: usize = dims.iter().product();
    let case = |name, run: Resample, python| {
        resample(name, format!("{}k2", list(&dims)), dims, dtype, run, python)
            .bytes((count + count / 4) * dtype.size_in_bytes())
    };
    [
        case("avg_pool2d", |x| x.avg_pool2d(2), "F.avg_pool2d(x, 2)"),
        case("max_pool2d", |x| x.max_pool2d(2), "F.max_pool2d(x, 2)"),
    ]
}

fn upsamples(plan: &Plan, dtype: DType) -> [Case; 2] {
    let extent = plan.extent(56);
    let dims = [8, 64, extent, extent];
    let count: usize = dims.iter().product();
    let case = |name, run: Resample, python| {
        resample(name, format!("{}->{}", list(&dims), 2 * extent), dims, dtype, run, python)
            .bytes(5 * count * dtype.size_in_bytes())
    };
    [
        case(
            "upsample_nearest2d",
            |x| x.upsample_nearest2d(2 * x.dim(2)?, 2 * x.dim(3)?),
            "F.interpolate(x, scale_factor=2, mode='nearest')",
        ),
        case(
            "upsample_bilinear2d",
            |x| x.upsample_bilinear2d(2 * x.dim(2)?, 2 * x.dim(3)?, false),
            "F.interpolate(x, scale_factor=2, mode='bilinear')",
        ),
    ]
}

fn resample(
    name: &'static str,
    shape: String,
    dims: [usize; 4],
    dtype: DType,
    run: Resample,
    python: &str,
) -> Case {
    Case::new(GROUP, name, dtype, shape, move |side| {
        let x = side.uniform(&dims, dtype)?;
        Ok(Box::new(move || run(&x)))
    })
    .torch(format!("x = u({})", arguments(&dims)), python)
}
