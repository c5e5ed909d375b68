//! A report on a machine, for `cargo rocm doctor` and `cargo xtask doctor`.

mod peers;

use std::error::Error;
use std::io::{self, Write};
use std::path::Path;

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::{CpuStorage, Layout, Shape};
use rocm_sys::roots;

use crate::hip::{Platform, Runtime, variable};
use crate::platform::{self, AMD, HOST};
use crate::{RocmDevice, RocmError, TuningReport};

/// Writes which platform, libraries, devices and kernels there are, line by line as it finds them, and runs a kernel on each device.
/// False if a device that was found gives a wrong result or an error, or if there is none.
///
/// Where `CANDLE_ROCM_PLATFORM` names no platform and there is no AMD GPU, it goes on with the host platform, and says so first.
///
/// # Errors
///
/// Only those of `out`. What goes wrong with ROCm is part of the report.
///
/// ```
/// let mut report = Vec::new();
/// candle_rocm::doctor(&mut report)?;
/// assert!(String::from_utf8_lossy(&report).starts_with("Platform: "));
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn doctor(out: &mut dyn Write) -> io::Result<bool> {
    let (platform, why) = match choose() {
        Ok(choice) => choice,
        Err(error) => return writeln!(out, "error: {error}").map(|()| false),
    };
    match platform == HOST {
        true => writeln!(out, "Platform: host, on this CPU: no GPU is used")?,
        false => writeln!(out, "Platform: {platform}")?,
    }
    if let Some(why) = why {
        writeln!(out, "  because platform `amd` is not available here: {why}")?;
    }
    let runtime = match Runtime::get(platform) {
        Ok(runtime) => runtime,
        Err(error) => return writeln!(out, "error: {error}").map(|()| false),
    };
    examine(out, platform, runtime)
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

/// Writes what there is; false if a device does not work.
fn examine(out: &mut dyn Write, platform: Platform, runtime: &'static Runtime) -> io::Result<bool> {
    let library = runtime.hip().library().path();
    writeln!(out, "HIP runtime: {} ({})", library.display(), runtime.version_text())?;
    if let Some(version) = runtime.hip().library().file_version() {
        writeln!(out, "  file version {version}")?;
    }
    if platform == AMD {
        for line in others(library) {
            writeln!(out, "  {line}")?;
        }
    }
    match runtime.compiler() {
        Ok(compiler) => writeln!(out, "Run-time compiler: {}", compiler.describe())?,
        Err(error) => writeln!(out, "Run-time compiler: none ({error})")?,
    }
    let archs = rocm_kernels::prebuilt_archs();
    writeln!(
        out,
        "Kernels built in for: {}",
        if archs.is_empty() { "no card".to_owned() } else { archs.join(", ") }
    )?;
    match rocm_kernels::Cache::user().folder() {
        Some(folder) => writeln!(out, "Kernels compiled here are kept in {}", folder.display())?,
        None => writeln!(out, "Kernels compiled here are not kept: there is no folder for them")?,
    }

    let count = match runtime.device_count() {
        Ok(count) => count,
        Err(error) => return writeln!(out, "error: {error}").map(|()| false),
    };
    writeln!(out, "Devices: {count}")?;
    let mut works = count > 0;
    let mut working = Vec::new();
    for ordinal in 0..count {
        let tried = match runtime.device(ordinal) {
            Ok(device) => {
                let (name, arch, wavefront) = (device.name(), device.arch(), device.wavefront_size());
                let memory = device.total_memory() >> 20;
                writeln!(
                    out,
                    "  {ordinal}: {name}, {arch}, wavefront of {wavefront}, {memory} MiB of memory"
                )?;
                try_kernel(platform, ordinal)
            }
            Err(error) => Err(error.into()),
        };
        match tried {
            Ok(tuning) => {
                working.extend(runtime.device(ordinal));
                writeln!(out, "     works: x * 2 + 1 of 1,000,003 numbers is right")?;
                writeln!(out, "     {tuning}")?;
            }
            Err(error) => {
                works = false;
                writeln!(out, "     DOES NOT WORK: {error}")?;
            }
        }
    }
    if working.len() > 1 {
        writeln!(out, "Between devices:")?;
        works &= peers::examine(out, &working)?;
    }
    Ok(works)
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
fn try_kernel(platform: Platform, ordinal: usize) -> Result<TuningReport, Box<dyn Error>> {
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
