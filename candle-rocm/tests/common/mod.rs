//! What the integration tests share: on which devices they run, and how they say that they cannot.
#![allow(dead_code, unused_imports, reason = "no test uses all of it")]

#[path = "../../../rocm-hip/tests/common/process.rs"]
mod process;
#[path = "../../../rocm-hip/tests/common/random.rs"]
mod random;

use std::sync::OnceLock;

use candle_rocm::hip::{Platform, Runtime};
use candle_rocm::platform::{self, GFX, HOST};
use candle_rocm::{RocmDevice, RocmError};
pub(crate) use process::{in_child, skip};
pub(crate) use random::Random;

/// The platform under test: the one that `CANDLE_ROCM_PLATFORM` names, and the CPU's where it is not set.
pub(crate) fn platform() -> Platform {
    match std::env::var_os("CANDLE_ROCM_PLATFORM") {
        None => HOST,
        Some(_) => platform::from_env().unwrap(),
    }
}

/// Devices of their own (stream, pool, generator) for the calling test: all of the CPU platform, so both wavefront
/// sizes, or the first of another platform. None, after saying so, if kernels cannot be compiled here.
pub(crate) fn devices() -> Vec<RocmDevice> {
    static OBSTACLE: OnceLock<Option<String>> = OnceLock::new();

    let devices = devices_without_kernels();
    let Some(device) = devices.first() else { return devices };
    let obstacle = OBSTACLE.get_or_init(|| {
        let probe = device.compile("probe", r#"extern "C" __global__ void probe() {}"#);
        let error = probe.err()?;
        assert!(platform() == HOST && no_compiler(&error), "{error}");
        Some(error.to_string())
    });
    match obstacle {
        None => devices,
        Some(why) => {
            skip("kernels", why);
            Vec::new()
        }
    }
}

/// [`devices`] for tests that launch no kernel.
pub(crate) fn devices_without_kernels() -> Vec<RocmDevice> {
    let platform = platform();
    let count = match Runtime::get(platform).and_then(Runtime::device_count) {
        Ok(0) => {
            skip("devices", &RocmDevice::on(platform, 0).unwrap_err().to_string());
            0
        }
        Ok(count) if [HOST, GFX].contains(&platform) => count,
        Ok(_) => 1,
        Err(error) => {
            skip("devices", &error.to_string());
            0
        }
    };
    (0..count).map(|ordinal| RocmDevice::on(platform, ordinal).unwrap()).collect()
}

/// Whether the error says that there is no C++ compiler, rather than that it refused the source.
pub(crate) fn no_compiler(error: &RocmError) -> bool {
    error.to_string().contains("install g++")
}

/// Whether kernels are checked while they run, which takes them many times as long: then tests do with fewer elements, as long
/// as these reach each branch of the kernels.
pub(crate) fn checked() -> bool {
    let set = |name| std::env::var_os(name).is_some_and(|kind| !kind.is_empty());
    set("CANDLE_ROCM_HOST_SANITIZE") || set(CHECKER) || platform() == GFX
}

/// Which of compute-sanitizer's tools watches the card, if one does: `run --checker` of a bundle says so.
const CHECKER: &str = "CANDLE_ROCM_TEST_CHECKER";

/// Whether kernels of cuBLAS and cuDNN may run. Memcheck looks whether they stay within what our calls give them; what they
/// write in bulk copies is unwritten to initcheck, and their races are not ours to find.
pub(crate) fn libraries() -> bool {
    !std::env::var(CHECKER).is_ok_and(|tool| ["initcheck", "racecheck"].contains(&&*tool))
}
