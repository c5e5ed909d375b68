//! Adds two vectors: `cargo run -p rocm-hip --example vector_add`.

mod common;

use rocm_hip::{HipError, LaunchConfig, Queue};

const SOURCE: &str = r#"
extern "C" __global__ void add(size_t n, const float *a, const float *b, float *sum) {
    // As many blocks as are worth it; each thread takes every so manyth element.
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) sum[i] = a[i] + b[i];
}"#;

fn main() -> Result<(), HipError> {
    let device = common::device()?;
    let queue = Queue::new(device)?;
    let module = device.compile("vectors", SOURCE)?;
    let add = module.function("add")?;

    let n = 1_000_000;
    let a: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let b: Vec<f32> = (0..n).map(|i| 2.0 * i as f32).collect();
    // Copied on the way: `a` and `b` are free when these return.
    let (a_there, b_there) = (queue.upload(&a)?, queue.upload(&b)?);
    let mut sum = queue.alloc::<f32>(n)?;

    let config = LaunchConfig::grid_stride(n, size_of::<f32>(), true, device.compute_units());
    let mut launch = queue.launch(&add);
    launch.arg(&n).buffer(&a_there, 0).buffer(&b_there, 0).buffer_mut(&mut sum, 0);
    // SAFETY: the arguments are the kernel's parameters, and the buffers have n elements each.
    unsafe { launch.run(config)? };

    // Waits for the kernel, and reports what went wrong on the device.
    let sum = queue.download(&sum)?;
    let right = sum.iter().zip(a.iter().zip(&b)).filter(|(sum, (a, b))| **sum == **a + **b).count();
    println!("{right} of {n} sums are right");
    assert_eq!(right, n);
    Ok(())
}
