//! Several streams at once: `cargo run -p rocm-hip --example streams`.
//!
//! Each queue works through its own part of the data; what one of them waits for, the others need not. At the end one queue waits
//! for all, on the device, and adds up what they made.

mod common;

use std::time::Instant;

use rocm_hip::{Buffer, Event, Function, HipError, LaunchConfig, Queue};

const SOURCE: &str = r#"
// A long computation: iterations of the logistic map from each starting point.
extern "C" __global__ void iterate(size_t n, unsigned steps, float *x) {
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
        float value = x[i];
        for (unsigned step = 0; step < steps; step++) value = 3.5f * value * (1.0f - value);
        x[i] = value;
    }
}

extern "C" __global__ void count_above(size_t n, float bound, const float *x, unsigned *count) {
    unsigned mine = 0;
    for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) mine += x[i] > bound;
    atomicAdd(count, mine);
}"#;

const QUEUES: usize = 4;
const N: usize = 1 << 16;

fn main() -> Result<(), HipError> {
    let device = common::device()?;
    let module = device.compile("streams", SOURCE)?;
    let (iterate, count_above) = (module.function("iterate")?, module.function("count_above")?);
    let queues = (0..QUEUES).map(|_| Queue::new(device)).collect::<Result<Vec<_>, _>>()?;

    let began = Instant::now();
    // Nothing here waits for the device: each queue gets its work, and then they all run.
    let mut parts = Vec::new();
    for (part, queue) in queues.iter().enumerate() {
        let (start, end) = (Event::timed(device)?, Event::timed(device)?);
        let from: Vec<f32> = (0..N).map(|i| (part * N + i + 1) as f32 / (QUEUES * N + 2) as f32).collect();
        let mut x = queue.upload(&from)?;
        start.record(queue.stream())?;
        run(queue, &iterate, &mut x)?;
        end.record(queue.stream())?;
        parts.push((x, start, end));
    }
    let queued = began.elapsed();

    // The queue that collects waits for each of the others, without the host having to.
    let collector = Queue::new(device)?;
    let mut count = collector.alloc_zeros::<u32>(1)?;
    for (x, _, end) in &parts {
        collector.stream().wait(end)?;
        // A buffer belongs to the queue that made it. This is how another one uses it: its address, and a note for the pool.
        x.record_stream(collector.stream());
        let mut launch = collector.launch(&count_above);
        launch.arg(&N).arg(&0.5f32).pointer(x.as_ptr()).buffer_mut(&mut count, 0);
        // SAFETY: the arguments are the kernel's parameters; x has N elements, and its queue is done with it by then.
        unsafe { launch.run(config())? };
    }
    let above = collector.download(&count)?[0];

    println!("queued after {queued:.1?}, done after {:.1?}", began.elapsed());
    for (part, (_, start, end)) in parts.iter().enumerate() {
        println!("  queue {part}: {:.2} ms on the device", end.elapsed_ms(start)?);
    }
    println!("{above} of {} points end above 0.5", QUEUES * N);
    Ok(())
}

fn run(queue: &Queue, iterate: &Function, x: &mut Buffer<f32>) -> Result<(), HipError> {
    let mut launch = queue.launch(iterate);
    launch.arg(&N).arg(&500u32).buffer_mut(x, 0);
    // SAFETY: the arguments are the kernel's parameters, and x has N elements.
    unsafe { launch.run(config()) }
}

/// Few blocks each, so that the queues share the device.
fn config() -> LaunchConfig {
    LaunchConfig::linear(64, 256)
}
