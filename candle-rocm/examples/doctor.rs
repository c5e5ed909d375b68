//! Says which platform, libraries, devices and kernels candle-rocm finds here, and runs a kernel on each device.
//!
//! `cargo xtask doctor`, or `cargo run -p candle-rocm --features host --example doctor`. Without an AMD GPU it goes on with the host
//! platform, and says so first. Exit status 1 when a device that was found gives a wrong result or an error.

use std::path::Path;
use std::process::ExitCode;

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::{CpuStorage, Layout, Shape};
use candle_rocm::hip::{Compiler as _, Platform, Runtime, variable};
use candle_rocm::platform::{self, AMD, HOST};
use candle_rocm::{RocmDevice, RocmError, TuningReport};
use rocm_sys::roots;

fn main() -> ExitCode {
    let (platform, why) = match choose() {
        Ok(choice) => choice,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    };
    match platform == HOST {
        true => println!("Platform: host, on this CPU: no GPU is used"),
        false => println!("Platform: {platform}"),
    }
    if let Some(why) = why {
        println!("  because platform `amd` is not available here: {why}");
    }
    match examine(platform) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The platform that was asked for; where none was asked for, amd if it has a card, else host with the reason.
fn choose() -> Result<(Platform, Option<String>), RocmError> {
    let asked = variable::text("CANDLE_ROCM_PLATFORM").is_some();
    let platform = platform::current()?;
    if asked {
        return Ok((platform, None));
    }
    let why = match Runtime::get(platform).and_then(|runtime| runtime.device(0)) {
        Ok(_) => return Ok((platform, None)),
        Err(error) => error.to_string(),
    };
    Ok((HOST, Some(why)))
}

/// Prints what there is; false if a device does not work.
fn examine(platform: Platform) -> Result<bool, RocmError> {
    let runtime = Runtime::get(platform)?;
    let library = runtime.hip().library().path();
    println!("HIP runtime: {} ({})", library.display(), runtime.version_text());
    if platform == AMD {
        others(library).iter().for_each(|line| println!("  {line}"));
    }
    match runtime.hiprtc() {
        Ok(hiprtc) => println!("Run-time compiler: {}", hiprtc.describe()),
        Err(error) => println!("Run-time compiler: none ({error})"),
    }
    let archs = rocm_kernels::prebuilt_archs();
    println!(
        "Kernels built in for: {}",
        if archs.is_empty() { "no card".to_owned() } else { archs.join(", ") }
    );
    match rocm_kernels::Cache::user().folder() {
        Some(folder) => println!("Kernels compiled here are kept in {}", folder.display()),
        None => println!("Kernels compiled here are not kept: there is no folder for them"),
    }

    let count = runtime.device_count()?;
    println!("Devices: {count}");
    let mut works = true;
    for ordinal in 0..count {
        let device = runtime.device(ordinal)?;
        let (name, arch, wavefront) = (device.name(), device.arch(), device.wavefront_size());
        println!(
            "  {ordinal}: {name}, {arch}, wavefront of {wavefront}, {} MiB of memory",
            device.total_memory() >> 20
        );
        match try_kernel(platform, ordinal) {
            Ok(tuning) => {
                println!("     works: x * 2 + 1 of 1,000,003 numbers is right");
                println!("     {tuning}");
            }
            Err(error) => {
                works = false;
                println!("     DOES NOT WORK: {error}");
            }
        }
    }
    Ok(works && count > 0)
}

/// The installations of ROCm that are not used.
fn others(library: &Path) -> Vec<String> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let used = real(library);
    let other = |root: &roots::Root| root.has_hip() && !used.starts_with(real(&root.path));
    let roots = roots::all().into_iter().filter(other);
    let release =
        |root: &roots::Root| root.release().map_or("of unknown release".to_owned(), |r| r.to_string());
    let line = |root: roots::Root| {
        let path = root.path.display();
        format!("also there: ROCm {} in {path}; set ROCM_PATH={path} to use it", release(&root))
    };
    roots.map(line).collect()
}

/// `x * 2 + 1` through upload, kernel and download, against the same on the CPU. Returns what is tuned.
fn try_kernel(platform: Platform, ordinal: usize) -> Result<TuningReport, Box<dyn std::error::Error>> {
    let device = RocmDevice::on(platform, ordinal)?;
    let input: Vec<f32> = (0..1_000_003).map(|i| i as f32 * 0.25 - 1e5).collect();
    let layout = Layout::contiguous(Shape::from(input.len()));
    let output = device.storage_from_slice(&input)?.affine(&layout, 2., 1.)?.to_cpu_storage()?;
    let CpuStorage::F32(output) = output else { return Err("the result is not f32".into()) };
    match input.iter().zip(&output).position(|(x, y)| *y != x * 2. + 1.) {
        None if output.len() == input.len() => Ok(device.tuning_report()),
        None => Err(format!("{} numbers came back", output.len()).into()),
        Some(at) => Err(format!("{} became {}", input[at], output[at]).into()),
    }
}
