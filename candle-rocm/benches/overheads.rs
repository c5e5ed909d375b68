//! What this crate adds to each call, on the CPU: `cargo bench -p candle-rocm`. No card is needed: the platform is the host's
//! unless `CANDLE_ROCM_PLATFORM` names another, and a launch of no threads shows what is done before the driver is called.

#![allow(missing_docs)] // criterion's macro makes a public function

use std::hint::black_box;

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::{Layout, op};
use candle_rocm::hip::LaunchConfig;
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

fn allocation(bench: &mut Criterion) {
    let device = device().expect("a device");
    for (what, len) in [("small, from a slab", 100), ("large", 1 << 20)] {
        // A slab stays while something is in it.
        let kept = device.alloc::<f32>(len).expect("memory");
        bench.bench_function(&format!("allocate and free, {what}"), |bencher| {
            bencher.iter(|| device.alloc::<f32>(black_box(len)).expect("memory"));
        });
        drop(kept);
    }
    bench.bench_function("a pool's statistics", |bencher| bencher.iter(|| device.pool().stats()));
}

fn launch(bench: &mut Criterion) {
    let device = device().expect("a device");
    let words = [2usize, 3, 4, 12, 4, 1];
    bench.bench_function("dims and strides, seen before", |bencher| {
        bencher.iter(|| device.info(black_box(&words)).expect("a layout"));
    });
    bench.bench_function("find a kernel", |bencher| {
        bencher.iter(|| device.function(&AFFINE, black_box("affine_f32")).expect("a kernel"));
    });
    let input = device.upload(&[1f32; 24]).expect("memory");
    let mut output = device.alloc::<f32>(24).expect("memory");
    let mut launch = |config| {
        let mut launch = device.launch(&AFFINE, "affine_f32");
        launch.arg(&24usize).arg(&3usize).info(&words).buffer(&input, 0).buffer_mut(&mut output, 0);
        launch.arg(&2f32).arg(&1f32);
        // SAFETY: the arguments are affine_f32's; the layout has 24 elements, as both buffers have.
        unsafe { launch.run(config) }.expect("a launch");
    };
    bench.bench_function("prepare a launch", |bencher| {
        bencher.iter(|| launch(LaunchConfig::linear(0, 256)));
    });
    bench.bench_function("launch", |bencher| bencher.iter(|| launch(LaunchConfig::linear(1, 256))));
    device.synchronize().expect("the kernels are right");
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

/// To the device and back: what waiting costs.
fn transfer(bench: &mut Criterion) {
    let device = device().expect("a device");
    let buffer = device.upload(&[1f32; 24]).expect("memory");
    bench.bench_function("upload 24 floats", |bencher| {
        bencher.iter(|| device.upload(black_box(&[1f32; 24])).expect("memory"));
    });
    bench.bench_function("download 24 floats", |bencher| {
        bencher.iter(|| device.download(&buffer).expect("numbers"));
    });
}

criterion_group!(benches, allocation, launch, dispatch, transfer);
criterion_main!(benches);
