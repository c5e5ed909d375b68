//! The platform and device that were asked for, or the best there is.

use anyhow::{Context, Result, bail};
use candle_core::Device;
use candle_rocm::RocmDevice;
use candle_rocm::hip::{Runtime, set_default_platform};
use candle_rocm::platform::{self, AMD, HOST, NVIDIA};
use clap::ValueEnum;

/// Where to compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Place {
    /// An AMD GPU.
    Amd,
    /// The GPU's kernels, run by the CPU.
    Host,
    /// An NVIDIA GPU, through the adapter.
    Nvidia,
    /// candle's own CPU device, without any kernel of ours.
    Cpu,
}

/// A device, and what to say of it.
pub struct Chosen {
    /// For tensors.
    pub device: Device,
    /// `Platform: ...`, one line.
    pub announcement: String,
}

/// The device with that number on the platform asked for; else on the one that `CANDLE_ROCM_PLATFORM` names; else on an AMD GPU;
/// where there is none, on the host platform, and the announcement says so.
pub fn choose(place: Option<Place>, ordinal: usize) -> Result<Chosen> {
    let named = std::env::var("CANDLE_ROCM_PLATFORM").is_ok_and(|value| !matches!(value.trim(), "" | "auto"));
    let (platform, why) = match place {
        Some(Place::Cpu) => {
            let announcement = "Platform: none (candle's own CPU device)".to_owned();
            return Ok(Chosen { device: Device::Cpu, announcement });
        }
        Some(Place::Amd) => (AMD, ""),
        Some(Place::Host) => (HOST, ""),
        Some(Place::Nvidia) => (NVIDIA, ""),
        None if named => (platform::current()?, ""),
        None => match Runtime::get(AMD).and_then(|runtime| runtime.device_count()) {
            Ok(1..) => (AMD, ""),
            _ => (HOST, "no AMD GPU answers: "),
        },
    };
    set_default_platform(platform);
    let count = Runtime::get(platform)
        .and_then(|runtime| runtime.device_count())
        .with_context(|| format!("the platform {platform} is not to be had"))?;
    if ordinal >= count {
        bail!("there is no device {ordinal} on the platform {platform}: it has {count}");
    }
    let device = Device::new_rocm(ordinal)?;
    let hip = rocm(&device).context("the device is not candle-rocm's")?.hip_device();
    let kind = match platform == HOST {
        true => format!("host ({why}the same kernels, run by this CPU)"),
        false => platform.to_string(),
    };
    let memory = crate::bytes(hip.total_memory() as u64);
    let announcement =
        format!("Platform: {kind}\nDevice {ordinal}: {}, {}, {memory}", hip.name(), hip.arch());
    Ok(Chosen { device, announcement })
}

/// candle-rocm's device behind candle's.
pub fn rocm(device: &Device) -> Option<&RocmDevice> {
    match device {
        Device::Rocm(device) => device.downcast_ref(),
        _ => None,
    }
}

/// Bytes free and in total; `None` if the system does not say.
pub fn memory(device: &Device) -> Result<Option<(u64, u64)>> {
    if let Some(device) = rocm(device) {
        let (free, total) = device.hip_device().memory_info()?;
        return Ok(Some((free as u64, total as u64)));
    }
    let Ok(text) = std::fs::read_to_string("/proc/meminfo") else { return Ok(None) };
    let of = |key: &str| field(&text, key);
    Ok(of("MemAvailable:").zip(of("MemTotal:")))
}

/// The most memory that was in use: what the pool took from the device; on the CPU, all of this process.
pub fn peak_memory(device: &Device) -> Option<u64> {
    match rocm(device) {
        Some(device) => Some(device.pool().stats().reserved_peak as u64),
        None => field(&std::fs::read_to_string("/proc/self/status").ok()?, "VmHWM:"),
    }
}

/// A field of /proc in bytes.
fn field(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}
