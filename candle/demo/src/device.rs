//! Selects the platform and device.

use anyhow::{Context, Result};
use candle_core::Device;
use candle_rocm::RocmDevice;
use candle_rocm::hip::{Runtime, set_default_platform, variable};
use candle_rocm::kernels::Module;
use candle_rocm::platform::{self, AMD, HOST, NVIDIA};
use clap::ValueEnum;

/// The platform to run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Backend {
    /// An AMD GPU.
    Amd,
    /// The GPU kernels, run on the CPU.
    Host,
    /// An NVIDIA GPU, through the adapter.
    Nvidia,
    /// candle's own CPU device, without our kernels.
    Cpu,
}

/// The selected device.
pub struct Chosen {
    /// candle's device.
    pub device: Device,
    /// The lines `Platform: ...` and `Device ...: ...`, for the user.
    pub announcement: String,
}

/// Opens the device with the given number: on the requested backend; by default on the platform that `CANDLE_ROCM_PLATFORM` names;
/// by default on an AMD GPU; or else, on Linux, on the host platform, which the announcement mentions.
///
/// # Errors
///
/// Fails if the platform is not available or has no device with this number.
pub fn choose(backend: Option<Backend>, ordinal: usize) -> Result<Chosen> {
    let named = variable::text("CANDLE_ROCM_PLATFORM").is_some_and(|name| !name.eq_ignore_ascii_case("auto"));
    let (platform, why) = match backend {
        Some(Backend::Cpu) => {
            let announcement = "Platform: none (candle's own CPU device)".to_owned();
            return Ok(Chosen { device: Device::Cpu, announcement });
        }
        Some(Backend::Amd) => (AMD, ""),
        Some(Backend::Host) => (HOST, ""),
        Some(Backend::Nvidia) => (NVIDIA, ""),
        None if named => (platform::current()?, ""),
        None => match Runtime::get(AMD).and_then(|runtime| runtime.device_count()) {
            Ok(1..) => (AMD, ""),
            // Elsewhere the host platform compiles nothing: the error says what AMD's lacks.
            _ if !cfg!(target_os = "linux") => (AMD, ""),
            _ => (HOST, "no AMD GPU found; "),
        },
    };
    set_default_platform(platform);
    // Says how many there are, and why there is none.
    Runtime::get(platform)?.device(ordinal)?;
    let device = Device::new_rocm(ordinal)?;
    let hip = rocm(&device).context("the device does not belong to candle-rocm")?.hip_device();
    let kind = match platform == HOST {
        true => format!("host ({why}the same kernels run on this CPU)"),
        false => platform.to_string(),
    };
    let mut memory = crate::bytes(hip.total_memory() as u64);
    if let Some(system) = hip.memory()?.system {
        memory += &format!(" and up to {} of the machine's", crate::bytes(system.usable as u64));
    }
    let announcement =
        format!("Platform: {kind}\nDevice {ordinal}: {}, {}, {memory}", hip.name(), hip.arch());
    Ok(Chosen { device, announcement })
}

/// Compiles the kernels that a model needs, if they are neither built in nor cached: together faster than one by one.
pub fn prepare(device: &Device, modules: &[&'static Module]) -> Result<()> {
    if let Some(device) = rocm(device) {
        device.prepare(modules)?;
    }
    Ok(())
}

/// The candle-rocm device behind a candle device, if it is one.
pub fn rocm(device: &Device) -> Option<&RocmDevice> {
    device.as_rocm_device().ok()?.downcast_ref()
}

/// Bytes that can be allocated; `None` if the system does not report it.
///
/// # Errors
///
/// Fails if HIP does.
pub fn available_memory(device: &Device) -> Result<Option<u64>> {
    if let Some(device) = rocm(device) {
        return Ok(Some(device.available_memory()?));
    }
    let text = std::fs::read_to_string("/proc/meminfo").ok();
    Ok(text.and_then(|text| field(&text, "MemAvailable:")))
}

/// Peak memory use in bytes: of the device's pool or, on the CPU, of the whole process.
pub fn peak_memory(device: &Device) -> Option<u64> {
    match rocm(device) {
        Some(device) => Some(device.pool().stats().reserved_peak as u64),
        None => field(&std::fs::read_to_string("/proc/self/status").ok()?, "VmHWM:"),
    }
}

/// A size in a /proc file, in bytes.
fn field(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}
