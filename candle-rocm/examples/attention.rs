//! How long attention takes, on matrix cores and without them: `cargo run --release -p candle-rocm --example attention`. Runs
//! on the platform that `CANDLE_ROCM_PLATFORM` names (`host` needs the feature of that name, and is given fewer heads and
//! shorter sequences).

mod common;

use candle_core::backend::BackendDevice;
use candle_core::{DType, Layout, Result, Shape};
use candle_rocm::RocmDevice;
use candle_rocm::nn::{Attention, FullyMasked, sdpa};
use candle_rocm::platform::HOST;

use common::measure;

fn main() -> std::process::ExitCode {
    match run() {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            std::process::ExitCode::FAILURE
        }
    }
}

/// Heads, heads of keys, queries, keys, columns, causal.
const SHAPES: &[(usize, usize, usize, usize, usize, bool)] = &[
    (32, 32, 2048, 2048, 128, true),
    (32, 32, 2048, 2048, 128, false),
    (32, 8, 2048, 2048, 128, true),
    (32, 4, 512, 512, 64, true),
    (16, 16, 1024, 1024, 96, true),
    (8, 4, 1024, 1024, 256, true),
    (32, 8, 1, 8192, 128, true),
    (32, 4, 1, 512, 64, true),
    (32, 8, 4, 8192, 128, true),
];

fn run() -> Result<()> {
    let device = RocmDevice::new(0)?;
    println!("on {} ({})", device.label(), device.arch());
    let shrink = if device.platform() == HOST { 16 } else { 1 };
    for &(heads, kv_heads, t, s, d, causal) in SHAPES {
        let [heads, kv_heads] = [heads, kv_heads].map(|heads: usize| heads.div_ceil(shrink));
        let [t, s] = [t, s].map(|length| length.div_ceil(shrink));
        for dtype in [DType::F32, DType::F16, DType::BF16] {
            let numbers = |heads: usize, length: usize| -> Result<_> {
                let shape = Shape::from((1, heads, length, d));
                Ok((device.rand_uniform(&shape, dtype, -1.0, 1.0)?, Layout::contiguous(shape)))
            };
            let (q, k, v) = (numbers(heads, t)?, numbers(kv_heads, s)?, numbers(kv_heads, s)?);
            let (scale, fully_masked) = (1.0 / (d as f32).sqrt(), FullyMasked::Zeros);
            let attention = Attention { scale, softcapping: None, causal, fully_masked };
            print!("{dtype:?} [1, {heads}, {t}, {d}] to {s} keys of {kv_heads} heads");
            print!("{}:", if causal { ", causal" } else { "" });
            let set = device.matrix_cores();
            let ways: &[bool] = if dtype == DType::F32 || !set { &[false] } else { &[true, false] };
            for &matrix_cores in ways {
                device.set_matrix_cores(matrix_cores);
                let call = || sdpa((&q.0, &q.1), (&k.0, &k.1), (&v.0, &v.1), None, attention).map(drop);
                let seconds = measure(&device, || Ok(call()?))?.as_secs_f64();
                // Of the products with keys that are seen.
                let seen = if causal { s - (t - 1) / 2 } else { s };
                let operations = 4.0 * (heads * t * seen * d) as f64;
                let bytes = (2 * (heads * t + kv_heads * s) * d * dtype.size_in_bytes()) as f64;
                print!(
                    "  {} {:.1} us, {:.1} TFLOPS, {:.0} GB/s;",
                    if matrix_cores { "matrix cores" } else { "without" },
                    seconds * 1e6,
                    operations / seconds / 1e12,
                    bytes / seconds / 1e9
                );
            }
            device.set_matrix_cores(set);
            println!();
        }
    }
    Ok(())
}
