//! Where the examples run.

use rocm_hip::{Adapter, Device, HipError, Linked, Platform, Runtime};

/// HIP on the CPU, as part of these programs.
static HOST: Adapter = Adapter {
    no_devices: "CANDLE_ROCM_HOST_DEVICES names none",
    exact_allocations: true,
    ..Adapter::linked(
        "host",
        Linked {
            name: "candle-rocm-host (linked in)",
            symbol: candle_rocm_host::symbol,
            unavailable: candle_rocm_host::unavailable,
        },
    )
};

/// The first device of the platform that `CANDLE_ROCM_PLATFORM` names; where it names none, an AMD GPU, or else the CPU.
pub(crate) fn device() -> Result<Device, HipError> {
    let host = Platform::of(&HOST);
    host.register();
    let platform = Platform::from_env()?;
    let named = std::env::var_os("CANDLE_ROCM_PLATFORM").is_some();
    let device = match Runtime::get(platform).and_then(|runtime| runtime.device(0)) {
        Err(_) if !named => Runtime::get(host)?.device(0)?,
        result => result?,
    };
    println!("{device}: {} ({})", device.name(), device.arch());
    Ok(device)
}
