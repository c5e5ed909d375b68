//! How fast convolutions, pools and resampling are, by each engine: `cargo run --release -p candle-rocm --example convolutions`,
//! with `CANDLE_ROCM_PLATFORM` for another platform than AMD's. A word as argument selects the cases whose names have it.
//!
//! Times are of one call in a row of many, in microseconds.

use std::time::Instant;

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::{DType, Layout, Shape};
use candle_rocm::{ConvEngine, Convolution, RocmDevice, RocmStorage};

const PLAIN: Convolution =
    Convolution { padding: 0, stride: 1, dilation: 1, groups: 1, transposed: false, output_padding: 0 };
const DTYPES: [DType; 3] = [DType::F32, DType::F16, DType::BF16];
const ENGINES: [ConvEngine; 4] =
    [ConvEngine::Auto, ConvEngine::Miopen, ConvEngine::Im2col, ConvEngine::Kernels];

type Case = (&'static str, &'static [usize], &'static [usize], Convolution);

const CASES: &[Case] = &[
    ("conv2d", &[8, 64, 56, 56], &[64, 64, 3, 3], Convolution { padding: 1, ..PLAIN }),
    ("conv2d_1x1", &[8, 64, 56, 56], &[256, 64, 1, 1], PLAIN),
    ("conv2d_depthwise", &[8, 64, 56, 56], &[64, 1, 3, 3], Convolution { padding: 1, groups: 64, ..PLAIN }),
    ("conv2d_stem", &[8, 3, 224, 224], &[64, 3, 7, 7], Convolution { padding: 3, stride: 2, ..PLAIN }),
    ("conv2d_sd", &[1, 512, 64, 64], &[512, 512, 3, 3], Convolution { padding: 1, ..PLAIN }),
    ("conv1d", &[8, 256, 4096], &[256, 256, 3], Convolution { padding: 1, ..PLAIN }),
    (
        "conv_transpose1d",
        &[8, 256, 4096],
        &[256, 256, 3],
        Convolution { stride: 2, transposed: true, ..PLAIN },
    ),
    (
        "conv_transpose2d",
        &[8, 64, 56, 56],
        &[64, 64, 3, 3],
        Convolution { padding: 1, stride: 2, transposed: true, output_padding: 1, ..PLAIN },
    ),
];

fn main() -> candle_core::Result<()> {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    let device = RocmDevice::new(0)?;
    println!("{} ({})", device.label(), device.arch());
    let random = |dims: &[usize], dtype: DType| device.rand_uniform(&Shape::from(dims), dtype, -1.0, 1.0);
    for &(name, x_dims, w_dims, p) in CASES.iter().filter(|case| case.0.contains(&wanted)) {
        for dtype in DTYPES {
            let (x, w) = (random(x_dims, dtype)?, random(w_dims, dtype)?);
            let (x_l, w_l) = (Layout::contiguous(x_dims), Layout::contiguous(w_dims));
            print!("{name:<20} {:<5}", dtype.as_str());
            for engine in ENGINES {
                device.set_conv_engine(engine);
                let time = time(&device, || Ok(x.convolve(&x_l, (&w, &w_l), &p)?))?;
                print!("  {engine:?} {time:9.1}");
            }
            println!();
        }
    }
    device.set_conv_engine(ConvEngine::Auto);
    type Run = fn(&RocmStorage, &Layout) -> candle_core::Result<RocmStorage>;
    let others: [(&str, &[usize], Run); 4] = [
        ("avg_pool2d", &[8, 64, 112, 112], |x, l| x.avg_pool2d(l, (2, 2), (2, 2))),
        ("max_pool2d", &[8, 64, 112, 112], |x, l| x.max_pool2d(l, (2, 2), (2, 2))),
        ("upsample_nearest2d", &[8, 64, 56, 56], |x, l| x.upsample_nearest2d(l, 112, 112)),
        ("upsample_bilinear2d", &[8, 64, 56, 56], |x, l| {
            x.upsample_bilinear2d(l, 112, 112, false, None, None)
        }),
    ];
    for (name, dims, run) in others.into_iter().filter(|case| case.0.contains(&wanted)) {
        for dtype in DTYPES {
            let (x, layout) = (random(dims, dtype)?, Layout::contiguous(dims));
            println!("{name:<20} {:<5}  {:9.1}", dtype.as_str(), time(&device, || run(&x, &layout))?);
        }
    }
    Ok(())
}

/// The best of several rows of calls.
fn time(device: &RocmDevice, run: impl Fn() -> candle_core::Result<RocmStorage>) -> candle_core::Result<f64> {
    let mut best = f64::MAX;
    let mut calls = 1;
    for _ in 0..6 {
        let start = Instant::now();
        for _ in 0..calls {
            run()?;
        }
        device.synchronize()?;
        let took = start.elapsed().as_secs_f64();
        if calls > 1 || took > 0.1 {
            best = best.min(took / calls as f64);
        }
        // The first call finds algorithms and compiles; then rows of some 20 ms.
        if calls == 1 {
            run()?;
            device.synchronize()?;
            let start = Instant::now();
            run()?;
            device.synchronize()?;
            calls = ((0.02 / start.elapsed().as_secs_f64()) as usize).clamp(2, 200);
        }
    }
    Ok(best * 1e6)
}
