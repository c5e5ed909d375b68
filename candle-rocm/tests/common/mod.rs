//! What the integration tests share: on which devices they run, and how they say that they cannot.
#![allow(dead_code, unused_imports, reason = "no test uses all of it")]

#[path = "../../../rocm-hip/tests/common/process.rs"]
mod process;
#[path = "../../../rocm-hip/tests/common/random.rs"]
mod random;

use std::sync::{Mutex, OnceLock, PoisonError};

use candle_core::Layout;
use candle_core::backend::{BackendDevice, BackendStorage};
use candle_rocm::hip::{Platform, Runtime};
use candle_rocm::platform::{self, GFX, HOST};
use candle_rocm::{GemmEngine, RocmDevice, RocmError};
pub(crate) use process::{in_child, skip};
pub(crate) use random::Random;
pub(crate) use rocm_sys::LibraryKind;

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

/// Whether rocBLAS or MIOpen serves the device. Where it does not, what it would be compared with is skipped, and the first call says so.
pub(crate) fn has_library(device: &RocmDevice, kind: LibraryKind) -> bool {
    static MISSING: Mutex<Vec<LibraryKind>> = Mutex::new(Vec::new());

    let Some(why) = missing(device, kind) else { return true };
    // Its absence is what is tested then.
    if std::env::var("CANDLE_ROCM_HOST_RUNTIME_ONLY").is_ok_and(|value| value == "on") {
        return false;
    }
    let mut said = MISSING.lock().unwrap_or_else(PoisonError::into_inner);
    if !said.contains(&kind) {
        said.push(kind);
        skip(&kind.to_string(), &why);
    }
    false
}

/// Why a library does not serve the device. rocBLAS may be there and have no kernels for the card.
fn missing(device: &RocmDevice, kind: LibraryKind) -> Option<String> {
    if kind == LibraryKind::Miopen {
        let missing = device.hip_device().runtime().companion(kind).err().map(|error| error.to_string());
        return if cfg!(feature = "miopen") {
            missing
        } else {
            Some("candle-rocm was built without it".to_owned())
        };
    }
    let engine = device.gemm_engine();
    let (x, l) = (device.storage_from_slice(&[1f32]).unwrap(), Layout::contiguous((1, 1)));
    device.set_gemm_engine(GemmEngine::Rocblas);
    let product = x.matmul(&x, (1, 1, 1, 1), &l, &l);
    device.set_gemm_engine(engine);
    match RocmError::of(&product.err()?) {
        Some(RocmError::RocblasUnavailable { why, .. }) => Some(why.clone()),
        error => panic!("{error:?}"),
    }
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
