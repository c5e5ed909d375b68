//! Tests against the real libamdhip64 on this machine, with or without a card. On Debian, install the newest of
//! `apt search --names-only '^libamdhip64-[0-9]'`.

mod common;

use std::ffi::CStr;
use std::path::Path;

use rocm_sys::hip::{CallError, Hip, device_properties, driver_version, hipError_t, runtime_version};
use rocm_sys::{Search, Version};

/// The machine's HIP library; reports a skip if there is none.
fn real_hip() -> Option<Hip> {
    match Hip::open(&Search::from_env()) {
        Ok(hip) => Some(hip),
        Err(error) => {
            common::skip(
                "the real libamdhip64",
                &format!("not on this machine (Debian: apt install the newest libamdhip64-*): {error}"),
            );
            None
        }
    }
}

fn has_card() -> bool {
    Path::new("/dev/kfd").exists()
}

/// The version in the name of the file that the soname links to: libamdhip64.so.5.2.21153, or since ROCm 7.14
/// libamdhip64.so.7.14.60850-0000000.
fn version_of_file(path: &Path) -> Option<Version> {
    let file = std::fs::canonicalize(path).ok()?;
    let text = file.file_name()?.to_str()?.strip_prefix("libamdhip64.so.")?;
    let mut numbers = text.split(['.', '-']).map(|part| part.parse().ok());
    Some(Version { major: numbers.next()??, minor: numbers.next()??, patch: numbers.next()?? })
}

#[test]
fn version_matches_the_file_name() {
    let Some(hip) = real_hip() else { return };
    let version = runtime_version(&hip).unwrap();
    assert!((5..=7).contains(&version.major), "{version}");
    let Some(expected) = version_of_file(hip.library().path()) else {
        return common::skip("the version in the file's name", &hip.library().path().display().to_string());
    };
    assert_eq!((version.major, version.minor), (expected.major, expected.minor));
    // Some builds report a patch number of 0.
    assert!(version.patch == expected.patch || version.patch == 0, "{version}, {expected}");
    assert_eq!(driver_version(&hip), Ok(version));
}

#[test]
fn devices_are_counted() {
    let Some(hip) = real_hip() else { return };
    let mut count = -1;
    // SAFETY: `count` is valid for the write.
    let status = unsafe { hip.hipGetDeviceCount(&mut count) }.unwrap();
    if !has_card() {
        assert_eq!(status, hipError_t::hipErrorNoDevice);
        let error = device_properties(&hip, 0).unwrap_err();
        let CallError::Status { code, name, .. } = error else { panic!("{error}") };
        assert!(code == hipError_t::hipErrorNoDevice || code == hipError_t::hipErrorInvalidDevice, "{name}");
        return;
    }
    assert!(status == hipError_t::hipSuccess || status == hipError_t::hipErrorNoDevice);
    for ordinal in 0..count.max(0) {
        let properties = device_properties(&hip, ordinal).unwrap();
        assert!(properties.gcn_arch_name.starts_with("gfx"), "{properties:?}");
        assert!(properties.warp_size == 32 || properties.warp_size == 64, "{properties:?}");
        assert!(properties.total_global_mem > 0 && properties.multi_processor_count > 0, "{properties:?}");
    }
}

#[test]
fn error_codes_have_names() {
    let Some(hip) = real_hip() else { return };
    for (code, expected) in [
        (hipError_t::hipSuccess, "hipSuccess"),
        (hipError_t::hipErrorNoDevice, "hipErrorNoDevice"),
        (hipError_t::hipErrorOutOfMemory, "hipErrorOutOfMemory"),
        (hipError_t::hipErrorInvalidValue, "hipErrorInvalidValue"),
        (hipError_t::hipErrorNotFound, "hipErrorNotFound"),
    ] {
        assert_eq!(rocm_sys::hip::error_name(&hip, code), expected);
    }
    // SAFETY: the function accepts any number and returns a constant string.
    let text = unsafe { CStr::from_ptr(hip.hipGetErrorString(hipError_t::hipErrorNoDevice).unwrap()) };
    assert!(!text.to_bytes().is_empty());
}

// If linked, this program would not build.
#[cfg(not(feature = "link"))]
#[test]
fn a_function_missing_from_this_version_is_an_error_of_its_call() {
    let Some(hip) = real_hip() else { return };
    let version = runtime_version(&hip).unwrap();
    assert_eq!(hip.has("hipGetDevicePropertiesR0600"), version.major >= 6);
    assert!(hip.has("hipModuleLaunchKernel"));
    if version.major >= 6 {
        return;
    }
    // SAFETY: the function is missing, so nothing is called.
    let missing = unsafe { hip.hipGetDevicePropertiesR0600(std::ptr::null_mut(), 0) }.unwrap_err();
    assert_eq!(missing.symbol, "hipGetDevicePropertiesR0600");
    assert_eq!(missing.path, hip.library().path());
}

#[cfg(feature = "hiprtc")]
#[test]
fn hiprtc_can_be_called() {
    use rocm_sys::hiprtc::{Hiprtc, hiprtcResult};
    let hiprtc = match Hiprtc::open(&Search::from_env()) {
        Ok(hiprtc) => hiprtc,
        Err(error) => return common::skip("the real hiprtc", &error.to_string()),
    };
    let (mut major, mut minor) = (0, 0);
    // SAFETY: both are valid for the write.
    assert_eq!(unsafe { hiprtc.hiprtcVersion(&mut major, &mut minor) }, Ok(hiprtcResult::HIPRTC_SUCCESS));
    assert!(major > 0, "{major}.{minor}");
    // SAFETY: the function accepts any code and returns a constant string.
    let text = unsafe {
        CStr::from_ptr(hiprtc.hiprtcGetErrorString(hiprtcResult::HIPRTC_ERROR_COMPILATION).unwrap())
    };
    assert_eq!(text.to_str(), Ok("HIPRTC_ERROR_COMPILATION"));
}
