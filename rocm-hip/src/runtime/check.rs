//! From HIP's codes to errors.

use std::ffi::{CStr, c_char};

use rocm_sys::hip::{Hip, hipError_t};
use rocm_sys::roots::System;

use crate::{Device, HipError};

/// What `call` returning `code` means.
pub(crate) fn error(hip: &Hip, device: String, call: &'static str, code: hipError_t) -> HipError {
    let (name, message) = describe(hip, code);
    HipError::Call { call, code: code.0, name, message, device }
}

/// The code's name and description.
pub(crate) fn describe(hip: &Hip, code: hipError_t) -> (String, String) {
    // SAFETY: both functions take any code and return static strings.
    let (name, message) = unsafe { (hip.hipGetErrorName(code), hip.hipGetErrorString(code)) };
    let name = name.ok().and_then(text).unwrap_or_else(|| format!("hipError_t {}", code.0));
    let message = message.ok().and_then(text).filter(|message| *message != name).unwrap_or_default();
    (name, message)
}

fn text(pointer: *const c_char) -> Option<String> {
    if pointer.is_null() {
        return None;
    }
    // SAFETY: not null, and HIP returns NUL-terminated strings that live as long as the library, which is never closed.
    Some(unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned())
}

/// Whether the code tells that work queued earlier failed on the device, rather than that the call was wrong.
pub(crate) fn is_fault(code: u32) -> bool {
    matches!(
        hipError_t(code),
        hipError_t::hipErrorIllegalAddress
            | hipError_t::hipErrorLaunchTimeOut
            | hipError_t::hipErrorLaunchFailure
            | hipError_t::hipErrorAssert
            | hipError_t::hipErrorECCNotCorrectable
            | hipError_t::hipErrorUnknown
    )
}

/// Whether the code tells that the system reset the device, which every process that uses it loses then. A platform that says what a kernel
/// did wrong knows that it was the kernel.
pub(crate) fn is_reset(code: u32, device: Device) -> bool {
    let is_certain = hipError_t(code) == hipError_t::hipErrorLaunchTimeOut;
    is_reset_on(System::THIS, code) && (is_certain || device.runtime().last_fault().is_none())
}

/// `hipErrorLaunchTimeOut` says so itself. HIP on Windows, which ends kernels after 2 seconds, has nothing more exact than its codes for
/// work that came to nothing, and lets later calls succeed though nothing runs any more.
fn is_reset_on(system: System, code: u32) -> bool {
    match hipError_t(code) {
        hipError_t::hipErrorLaunchTimeOut => true,
        hipError_t::hipErrorLaunchFailure | hipError_t::hipErrorUnknown => system == System::Windows,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resets_are_faults() {
        let of = |system| (0..=1100).filter(move |&code| is_reset_on(system, code)).collect::<Vec<_>>();
        assert_eq!(of(System::Linux), [702]);
        assert_eq!(of(System::Windows), [702, 719, 999]);
        assert!(of(System::Windows).into_iter().all(is_fault));
    }
}
