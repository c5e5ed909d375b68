//! What this crate adds to each operation, on the CPU: `cargo bench -p candle-rocm`. No card is needed: the platform is the host's
//! unless `CANDLE_ROCM_PLATFORM` names another. rocm-hip's bench has what lies below.

#![allow(missing_docs)] // criterion's macro makes a public function

use std::hint::black_box;

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::{Layout, op};
use candle_rocm::platform::{self, HOST};
use candle_rocm::{Result, RocmDevice};
use criterion::{Criterion, criterion_group, criterion_main};
use rocm_kernels::AFFINE;

fn device() -> Result<RocmDevice> {
    let platform = match std::env::var_os("CANDLE_ROCM_PLATFORM") {
        None => HOST,
        Some(_) => platform::from_env()?,
    };
    RocmDevice::on(platform, 0)
}

/// What comes before rocm-hip's launch.
fn lookup(bench: &mut Criterion) {
    let device = device().expect("a device");
    bench.bench_function("find a built-in kernel", |bencher| {
        bencher.iter(|| device.function(&AFFINE, black_box("affine_f32")).expect("a kernel"));
    });
}

/// candle's operations down to the launch: an allocation, finding the kernel, the launch.
fn dispatch(bench: &mut Criterion) {
    let device = device().expect("a device");
    let x = device.storage_from_slice(&[1f32; 24]).expect("memory");
    let layout = Layout::contiguous((2, 3, 4));
    let transposed = layout.transpose(0, 2).expect("three dimensions");
    bench.bench_function("unary operation", |bencher| {
        bencher.iter(|| x.unary_impl::<op::Exp>(black_box(&layout)).expect("a result"));
    });
    bench.bench_function("binary operation", |bencher| {
        bencher
            .iter(|| x.binary_impl::<op::Add>(&x, black_box(&layout), black_box(&layout)).expect("a result"));
    });
    bench.bench_function("unary operation, strided", |bencher| {
        bencher.iter(|| x.unary_impl::<op::Exp>(black_box(&transposed)).expect("a result"));
    });
    device.synchronize().expect("the kernels are right");
}

criterion_group!(benches, lookup, dispatch);
criterion_main!(benches);
