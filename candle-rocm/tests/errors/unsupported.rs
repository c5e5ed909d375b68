//! Systems without ROCm: everything compiles there, and opening a device is an error that says what is supported.
#![cfg(not(target_os = "linux"))]

use candle_rocm::hip::HipError;
use candle_rocm::platform::{AMD, HOST, NVIDIA};
use candle_rocm::{RocmDevice, RocmError};

#[test]
fn amd_cards_are_for_linux() {
    let error = RocmDevice::on(AMD, 0).unwrap_err();
    assert!(matches!(error, RocmError::Hip(HipError::Load { platform: "amd", .. })), "{error}");
    let text = error.to_string();
    for part in ["candle-rocm supports AMD GPUs on Linux", "WSL 2"] {
        assert!(text.contains(part), "`{part}` is not in: {text}");
    }
    assert!(!text.contains("CANDLE_ROCM_PLATFORM=host"), "there is no host platform either: {text}");
    let error: candle_core::Error = error.into();
    assert!(RocmError::of(&error).is_some());
}

#[test]
fn the_other_platforms_say_what_they_run_on() {
    for (platform, supported) in [(HOST, "Linux on x86-64"), (NVIDIA, "Linux only")] {
        let error = RocmDevice::on(platform, 0).unwrap_err();
        assert!(matches!(error, RocmError::Hip(HipError::PlatformUnavailable { .. })), "{error}");
        assert!(error.to_string().contains(supported), "{error}");
    }
}
