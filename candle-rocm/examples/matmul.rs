//! How long matrix products take, by rocBLAS and by this crate's kernels: `cargo run --release -p candle-rocm --example
//! matmul`. Runs on the platform that `CANDLE_ROCM_PLATFORM` names (`host` needs the feature of that name, and is given
//! smaller matrices).

mod common;

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::{DType, Layout, Result, Shape};
use candle_rocm::platform::HOST;
use candle_rocm::{GemmEngine, RocmDevice};

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

/// Batch, m, n, k, and whether the right operand is the transpose of a row-major one, as a layer's weights are.
const SHAPES: &[(usize, usize, usize, usize, bool)] = &[
    (1, 4096, 4096, 4096, false),
    (1, 4096, 4096, 4096, true),
    (1, 1, 14336, 4096, true),
    (1, 8, 14336, 4096, true),
    (1, 1, 14336, 4096, false),
    (1, 64, 14336, 4096, true),
    (1, 512, 14336, 4096, true),
    (1, 4096, 4096, 64, false),
    (32, 512, 512, 64, true),
    (32, 1, 2048, 128, true),
    (32, 1, 128, 2048, false),
];

fn run() -> Result<()> {
    let device = RocmDevice::new(0)?;
    println!("on {} ({})", device.label(), device.arch());
    let shrink = if device.platform() == HOST { 16 } else { 1 };
    for &(batch, m, n, k, transposed) in SHAPES {
        let [m, n, k] = [m, n, k].map(|size| if size > 64 { size / shrink } else { size });
        for dtype in [DType::F32, DType::F16, DType::BF16, DType::F64] {
            let numbers = |len: usize| device.rand_uniform(&Shape::from(len), dtype, -1.0, 1.0);
            let (lhs, rhs) = (numbers(batch * m * k)?, numbers(batch * k * n)?);
            let lhs_l = Layout::contiguous((batch, m, k));
            let stride = if transposed { vec![k * n, 1, k] } else { vec![k * n, n, 1] };
            let rhs_l = Layout::new((batch, k, n).into(), stride, 0);
            print!("{:?} {batch} x [{m}, {k}] x [{k}, {n}]{}:", dtype, if transposed { " t" } else { "" });
            for engine in [GemmEngine::Rocblas, GemmEngine::Kernels] {
                device.set_gemm_engine(engine);
                match measure(&device, || lhs.matmul(&rhs, (batch, m, n, k), &lhs_l, &rhs_l).map(drop)) {
                    Ok(time) => {
                        let seconds = time.as_secs_f64();
                        let operations = 2.0 * (batch * m * n * k) as f64;
                        let bytes = (batch * (m * k + k * n + m * n) * dtype.size_in_bytes()) as f64;
                        print!(
                            "  {engine:?} {:.1} us, {:.2} TFLOPS, {:.0} GB/s;",
                            seconds * 1e6,
                            operations / seconds / 1e12,
                            bytes / seconds / 1e9
                        );
                    }
                    Err(error) => print!("  {engine:?}: {error};"),
                }
            }
            println!();
        }
    }
    Ok(())
}
