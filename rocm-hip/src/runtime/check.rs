//! From HIP's codes to errors.

use std::ffi::{CStr, c_char};

use rocm_sys::hip::{Hip, hipError_t};

use crate::HipError;

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
pub(crate) fn is_fault(code: hipError_t) -> bool {
    matches!(
        code,
        hipError_t::hipErrorIllegalAddress
            | hipError_t::hipErrorLaunchTimeOut
            | hipError_t::hipErrorLaunchFailure
            | hipError_t::hipErrorAssert
            | hipError_t::hipErrorECCNotCorrectable
            | hipError_t::hipErrorUnknown
    )
}
