//! Status codes and versions.

use std::ffi::CStr;

use super::{Hip, hipError_t};
use crate::{MissingSymbol, Version};

/// A call did not succeed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The library lacks the function.
    #[error(transparent)]
    Missing(#[from] MissingSymbol),
    /// The function returned a status other than success.
    #[error("{call} failed: {name} ({})", code.0)]
    Status {
        /// The C function.
        call: &'static str,
        /// What it returned.
        code: hipError_t,
        /// The code's name, as the library knows it.
        name: String,
    },
}

impl CallError {
    /// `Ok` for `hipSuccess`, else the error with its name.
    pub(super) fn check(hip: &Hip, call: &'static str, code: hipError_t) -> Result<(), CallError> {
        if code == hipError_t::hipSuccess {
            return Ok(());
        }
        Err(CallError::Status { call, code, name: error_name(hip, code) })
    }
}

/// The name of a status code, as the library knows it: `hipErrorNoDevice`.
pub fn error_name(hip: &Hip, code: hipError_t) -> String {
    // SAFETY: the function takes any number.
    match unsafe { hip.hipGetErrorName(code) } {
        // SAFETY: a pointer that is not null is to one of the library's constant C strings; libraries are never closed.
        Ok(name) if !name.is_null() => unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned(),
        _ => format!("hipError_t({})", code.0),
    }
}

/// The version of libamdhip64. Its first two numbers are those of the ROCm release.
pub fn runtime_version(hip: &Hip) -> Result<Version, CallError> {
    let mut number = 0;
    // SAFETY: `number` is a valid place for the integer that the call writes.
    let code = unsafe { hip.hipRuntimeGetVersion(&mut number) }?;
    CallError::check(hip, "hipRuntimeGetVersion", code)?;
    Ok(Version::from_hip(number))
}

/// The version of the driver interface. On AMD it is that of libamdhip64 too.
pub fn driver_version(hip: &Hip) -> Result<Version, CallError> {
    let mut number = 0;
    // SAFETY: `number` is a valid place for the integer that the call writes.
    let code = unsafe { hip.hipDriverGetVersion(&mut number) }?;
    CallError::check(hip, "hipDriverGetVersion", code)?;
    Ok(Version::from_hip(number))
}
