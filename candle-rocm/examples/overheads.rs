//! What this crate adds to each call, in nanoseconds: `cargo run --release -p candle-rocm --features host --example
//! overheads`. Runs on the platform that `CANDLE_ROCM_PLATFORM` names; the host's share of a launch depends on it.

use std::hint::black_box;
use std::time::Instant;

use candle_rocm::hip::LaunchConfig;
use candle_rocm::{Result, RocmDevice};
use rocm_kernels::AFFINE;

fn main() -> std::process::ExitCode {
    match run() {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            std::process::ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let device = RocmDevice::new(0)?;
    println!("on {} ({})", device.label(), device.arch());

    for (what, len) in [("small, from a slab", 100), ("large", 1 << 20)] {
        let _kept = device.alloc::<f32>(len)?;
        drop(device.alloc::<f32>(len)?);
        measure(&format!("allocate and free, {what}"), 1_000_000, || device.alloc::<f32>(len).map(drop))?;
    }
    let mut count = 0;
    measure("a pool's statistics", 1_000_000, || {
        count += black_box(device.pool().stats()).buffers;
        Ok(())
    })?;
    let words = [2usize, 3, 4, 12, 4, 1];
    measure("dims and strides, seen before", 1_000_000, || device.info(black_box(&words)).map(drop))?;
    measure("find a kernel", 1_000_000, || device.function(&AFFINE, black_box("affine_f32")).map(drop))?;

    let input = device.upload(&[1f32; 24])?;
    let mut output = device.alloc::<f32>(24)?;
    let mut launch = |config| {
        let mut launch = device.launch(&AFFINE, "affine_f32");
        launch.arg(&24usize).arg(&3usize).info(&words).buffer(&input, 0).buffer_mut(&mut output, 0);
        launch.arg(&2f32).arg(&1f32);
        // SAFETY: the arguments are affine_f32's; the layout has 24 elements, as both buffers have.
        unsafe { launch.run(config) }
    };
    measure("prepare a launch", 1_000_000, || launch(LaunchConfig::linear(0, 256)))?;
    measure("launch", 10_000, || launch(LaunchConfig::linear(1, 256)))?;
    device.synchronize()?;
    measure("upload 24 floats", 10_000, || device.upload(&[1f32; 24]).map(drop))?;
    measure("download 24 floats", 1_000, || device.download(&input).map(drop))
}

fn measure(what: &str, times: u32, mut call: impl FnMut() -> Result<()>) -> Result<()> {
    // What is done once is done before.
    call()?;
    let start = Instant::now();
    for _ in 0..times {
        call()?;
    }
    println!("{:>10.0} ns  {what}", start.elapsed().as_nanos() as f64 / f64::from(times));
    Ok(())
}
