//! Systems without ROCm, or without a driver: everything compiles there, and opening a device is an error that says what is supported.
#![cfg(not(target_os = "linux"))]

use candle_rocm::hip::HipError;
use candle_rocm::platform::{AMD, HOST, NVIDIA};
use candle_rocm::{RocmDevice, RocmError};

#[test]
fn amd_cards_are_for_linux_and_windows() {
    let error = match RocmDevice::on(AMD, 0) {
        // A Windows machine with AMD's driver.
        Ok(_) | Err(RocmError::Hip(HipError::NoDevice { .. })) if cfg!(windows) => return,
        Ok(_) => panic!("there is a device"),
        Err(error) => error,
    };
    assert!(matches!(error, RocmError::Hip(HipError::Load { platform: "amd", .. })), "{error}");
    let text = error.to_string();
    let parts: &[&str] = match cfg!(windows) {
        true => &["amdhip64*.dll", "System32", "install AMD's graphics driver"],
        false => &["candle-rocm supports AMD GPUs on Linux and Windows"],
    };
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in: {text}");
    }
    assert!(!text.contains("CANDLE_ROCM_PLATFORM=host"), "the host platform has no compiler here: {text}");
    let error: candle_core::Error = error.into();
    assert!(RocmError::of(&error).is_some());
}

#[test]
fn the_other_platforms_say_what_they_run_on() {
    for (platform, supported) in [(HOST, "Linux and Windows on x86-64"), (NVIDIA, "Linux only")] {
        if cfg!(windows) && platform == HOST {
            continue;
        }
        let error = RocmDevice::on(platform, 0).unwrap_err();
        assert!(matches!(error, RocmError::Hip(HipError::PlatformUnavailable { .. })), "{error}");
        assert!(error.to_string().contains(supported), "{error}");
    }
}
