//! What this crate adds to each call, on the CPU: `cargo bench -p rocm-hip`. No card is needed: the platform is the host's unless
//! `CANDLE_ROCM_PLATFORM` names another, and a launch of no threads shows what is done before the driver is called.

#![allow(missing_docs)] // criterion's macro makes a public function

#[path = "../tests/common/mod.rs"]
mod common;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use rocm_hip::{LaunchConfig, Queue, ResidentModule};

const SOURCE: &str = r#"
extern "C" __global__ void affine(size_t n, size_t num_dims, const size_t *info, const float *x, float *y, float a, float b) {
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) y[i] = a * x[i] + b;
}"#;

fn queue() -> Queue {
    common::open(common::platform(), 0).expect("a device")
}

fn allocation(bench: &mut Criterion) {
    let queue = queue();
    for (what, len) in [("small, from a slab", 100), ("large", 1 << 20)] {
        // A slab stays while something is in it.
        let kept = queue.alloc::<f32>(len).expect("memory");
        bench.bench_function(&format!("allocate and free, {what}"), |bencher| {
            bencher.iter(|| queue.alloc::<f32>(black_box(len)).expect("memory"));
        });
        drop(kept);
    }
    bench.bench_function("a pool's statistics", |bencher| bencher.iter(|| queue.pool().stats()));
}

fn launch(bench: &mut Criterion) {
    let queue = queue();
    let words = [2usize, 3, 4, 12, 4, 1];
    bench.bench_function("dims and strides, seen before", |bencher| {
        bencher.iter(|| queue.info(black_box(&words)).expect("a layout"));
    });
    let module = ResidentModule::new(queue.device().compile("affine", SOURCE).expect("a compiler"));
    bench.bench_function("find a kernel", |bencher| {
        bencher.iter(|| module.function(black_box("affine")).expect("a kernel"));
    });
    let affine = module.function("affine").expect("a kernel");
    let input = queue.upload(&[1f32; 24]).expect("memory");
    let mut output = queue.alloc::<f32>(24).expect("memory");
    let mut launch = |config| {
        let mut launch = queue.launch(affine);
        launch.arg(&24usize).arg(&3usize).info(&words).buffer(&input, 0).buffer_mut(&mut output, 0);
        launch.arg(&2f32).arg(&1f32);
        // SAFETY: the arguments are the kernel's; both buffers have 24 elements.
        unsafe { launch.run(config) }.expect("a launch");
    };
    bench.bench_function("prepare a launch", |bencher| {
        bencher.iter(|| launch(LaunchConfig::linear(0, 256)));
    });
    bench.bench_function("launch", |bencher| bencher.iter(|| launch(LaunchConfig::linear(1, 256))));
    queue.synchronize().expect("the kernels are right");
}

/// To the device and back: what waiting costs.
fn transfer(bench: &mut Criterion) {
    let queue = queue();
    let buffer = queue.upload(&[1f32; 24]).expect("memory");
    bench.bench_function("upload 24 floats", |bencher| {
        bencher.iter(|| queue.upload(black_box(&[1f32; 24])).expect("memory"));
    });
    bench.bench_function("download 24 floats", |bencher| {
        bencher.iter(|| queue.download(&buffer).expect("numbers"));
    });
}

criterion_group!(benches, allocation, launch, transfer);
criterion_main!(benches);
