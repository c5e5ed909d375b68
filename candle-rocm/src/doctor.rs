//! A report on a machine, for `cargo rocm doctor` and `cargo xtask doctor`.

mod peers;

use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use candle_core::backend::{BackendDevice, BackendStorage};
use candle_core::{CpuStorage, Layout, Shape};
use rocm_sys::{SYSTEM_FOLDER, Search, roots};

use crate::conv::miopen_library;
use crate::hip::{Device, Platform, Runtime, variable};
use crate::matmul::rocblas_library;
use crate::platform::{self, AMD, HOST};
use crate::{RocmDevice, RocmError};

/// Reports the platform, libraries, devices and kernels, line by line as they are found, and runs a kernel on each device. Returns `false`
/// if there is no device, or if one returns an error or a wrong result.
///
/// If `CANDLE_ROCM_PLATFORM` is not set and there is no AMD GPU, reports that and continues with the host platform.
///
/// # Errors
///
/// Only those of `out`. Problems with ROCm are part of the report.
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
        // What follows says why.
        Err(_) if !platform::HOST_STANDS_IN => return Ok((platform, None)),
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
                for line in shared_memory(device) {
                    writeln!(out, "     {line}")?;
                }
                try_kernel(platform, ordinal)
            }
            Err(error) => Err(error.into()),
        };
        match tried {
            Ok(device) => {
                working.extend(runtime.device(ordinal));
                writeln!(out, "     works: x * 2 + 1 of 1,000,003 numbers is right")?;
                for text in libraries(&device) {
                    writeln!(out, "     {}", text.replace('\n', "\n     "))?;
                }
                writeln!(out, "     {}", device.tuning_report())?;
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

/// The installations of ROCm that are not used. On Windows that of the graphics driver may be one: an SDK's comes before it.
fn others(library: &Path) -> Vec<String> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let used = real(library);
    let other = |root: &roots::Root| root.has_hip() && !used.starts_with(real(&root.path));
    let drivers = Search::from_env().installations.into_iter().filter(|(origin, _)| *origin == SYSTEM_FOLDER);
    let drivers = drivers.map(|(origin, path)| roots::Root { origin, path });
    let what = |root: &roots::Root| match root.release() {
        Some(release) => format!("ROCm {release}"),
        None if root.origin == SYSTEM_FOLDER => "the graphics driver's HIP runtime".to_owned(),
        None => "ROCm of unknown release".to_owned(),
    };
    let line = |root: roots::Root| {
        let path = root.path.display();
        format!("also there: {} in {path}; set ROCM_PATH={path} to use it", what(&root))
    };
    roots::all().into_iter().chain(drivers).filter(other).map(line).collect()
}

/// Whose memory an integrated GPU uses: HIP's figures, the machine's, and the limits of the driver.
fn shared_memory(device: Device) -> Vec<String> {
    let Some((memory, system)) = device.memory().ok().and_then(|memory| Some((memory, memory.system?)))
    else {
        return Vec::new();
    };
    let [free, total] = [memory.free, memory.total].map(|bytes| bytes >> 20);
    let [available, machine, usable] =
        [system.available, system.total, system.usable].map(|bytes| bytes >> 20);
    let mut lines = vec![format!(
        "integrated: {free} of {total} MiB are free for hipMalloc, {available} of the machine's {machine} MiB are available; where \
         hipMalloc ends, {usable} MiB of those can be taken as well"
    )];
    if device.platform() == AMD {
        lines.extend(driver_limits(Path::new("/sys"), device.properties().pci));
    }
    lines
}

/// How much memory the firmware reserved for the GPU at a PCI address, and how much more the driver gives it.
fn driver_limits(sys: &Path, [domain, bus, device]: [u32; 3]) -> Option<String> {
    let number = |path: &Path| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let pci = sys.join(format!("bus/pci/devices/{domain:04x}:{bus:02x}:{device:02x}.0"));
    let [reserved, gtt] = ["vram", "gtt"].map(|kind| number(&pci.join(format!("mem_info_{kind}_total"))));
    let limit = number(&sys.join("module/ttm/parameters/pages_limit"));
    let limit = limit.map_or(String::new(), |pages| format!(" (ttm.pages_limit={pages})"));
    Some(format!("reserved by the firmware: {} MiB; GTT: {} MiB{limit}", reserved? >> 20, gtt? >> 20))
}

/// The libraries that some operations go to, or what serves without them.
fn libraries(device: &RocmDevice) -> [String; 2] {
    let line = |name, what, found: Result<PathBuf, String>| match found {
        Ok(path) => format!("{name}: {}", path.display()),
        Err(why) => format!("{name}: none; {what} run on candle-rocm's own kernels ({why})"),
    };
    [
        line("rocBLAS", "matrix products", rocblas_library(device)),
        line("MIOpen", "convolutions", miopen_library(device)),
    ]
}

/// `x * 2 + 1` through upload, kernel and download, against the same on the CPU.
fn try_kernel(platform: Platform, ordinal: usize) -> Result<RocmDevice, Box<dyn Error>> {
    let device = RocmDevice::on(platform, ordinal)?;
    let input: Vec<f32> = (0..1_000_003).map(|i| i as f32 * 0.25 - 1e5).collect();
    let layout = Layout::contiguous(Shape::from(input.len()));
    let output = device.storage_from_slice(&input)?.affine(&layout, 2., 1.)?.to_cpu_storage()?;
    let CpuStorage::F32(output) = output else { return Err("the result is not f32".into()) };
    match input.iter().zip(&output).position(|(x, y)| *y != x * 2. + 1.) {
        None if output.len() == input.len() => Ok(device),
        None => Err(format!("{} numbers came back", output.len()).into()),
        Some(at) => Err(format!("{} became {}", input[at], output[at]).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_the_driver() {
        let sys = std::env::temp_dir().join(format!("candle-rocm-doctor-{}", std::process::id()));
        let device = sys.join("bus/pci/devices/0000:c5:00.0");
        let parameters = sys.join("module/ttm/parameters");
        fs::create_dir_all(&device).unwrap();
        fs::create_dir_all(&parameters).unwrap();
        fs::write(device.join("mem_info_vram_total"), "536870912\n").unwrap();
        assert_eq!(driver_limits(&sys, [0, 0xc5, 0]), None, "there is no GTT");
        fs::write(device.join("mem_info_gtt_total"), "67076546560\n").unwrap();
        let line = "reserved by the firmware: 512 MiB; GTT: 63969 MiB";
        assert_eq!(driver_limits(&sys, [0, 0xc5, 0]).as_deref(), Some(line));
        fs::write(parameters.join("pages_limit"), "16376110\n").unwrap();
        let line = format!("{line} (ttm.pages_limit=16376110)");
        assert_eq!(driver_limits(&sys, [0, 0xc5, 0]), Some(line));
        assert_eq!(driver_limits(&sys, [0, 0xc6, 0]), None);
        fs::remove_dir_all(sys).unwrap();
    }
}
