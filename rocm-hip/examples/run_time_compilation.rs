//! Kernels made for the sizes at hand: `cargo run -p rocm-hip --example run_time_compilation`.
//!
//! The degree of a polynomial is a constant of the kernel, so that the compiler unrolls its loop; the coefficients' type is chosen
//! by a macro. What is compiled is kept on disk: the second run of this program does not compile.

mod common;

use std::time::Instant;

use rocm_hip::{HipError, LaunchConfig, Module, Queue};

const HEADER: (&str, &str) = (
    "horner.h",
    r#"
template <int N, typename T> __device__ T horner(const T *coefficients, T x) {
    T value = coefficients[N];
    for (int i = N - 1; i >= 0; i--) value = value * x + coefficients[i];
    return value;
}"#,
);

const SOURCE: &str = r#"
#include "horner.h"
extern "C" __global__ void polynomial(size_t n, const REAL *coefficients, const REAL *x, REAL *y) {
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        y[i] = horner<DEGREE>(coefficients, x[i]);
}"#;

fn main() -> Result<(), HipError> {
    let device = common::device()?;
    let queue = Queue::new(device)?;
    for degree in [2, 5] {
        let began = Instant::now();
        let options = [format!("-DDEGREE={degree}"), "-DREAL=double".to_owned()];
        let options = options.each_ref().map(String::as_str);
        let module = device.compile_with("polynomial", SOURCE, &[HEADER], &options)?;
        println!("degree {degree}: ready after {:.1?}", began.elapsed());
        evaluate(&queue, &module, degree)?;
    }

    // What is wrong with a source comes with the compiler's log.
    let error = device.compile("mistake", "extern \"C\" __global__ void f(float *x) { x[0] = y; }");
    println!("\nA mistake:\n{}", error.err().map(|error| error.to_string()).unwrap_or_default());
    Ok(())
}

/// 1 + x + x^2 + ... at a few places.
fn evaluate(queue: &Queue, module: &Module, degree: usize) -> Result<(), HipError> {
    let places = [0.0, 0.5, 1.0, 2.0];
    let coefficients = queue.upload(&vec![1f64; degree + 1])?;
    let x = queue.upload(&places)?;
    let mut y = queue.alloc::<f64>(places.len())?;
    let function = module.function("polynomial")?;
    let mut launch = queue.launch(&function);
    launch.arg(&places.len()).buffer(&coefficients, 0).buffer(&x, 0).buffer_mut(&mut y, 0);
    // SAFETY: the arguments are the kernel's parameters; there are degree + 1 coefficients and as many x as y.
    unsafe { launch.run(LaunchConfig::linear(1, 64))? };
    for (x, y) in places.iter().zip(queue.download(&y)?) {
        println!("  at {x}: {y}");
    }
    Ok(())
}
