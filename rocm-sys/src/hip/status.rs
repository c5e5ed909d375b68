//! Status codes and versions.

use std::ffi::CStr;

use super::{Hip, hipError_t};
use crate::{MissingSymbol, Version};

/// A HIP call failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The library does not export the function.
    #[error(transparent)]
    Missing(#[from] MissingSymbol),
    /// The function returned a status other than success.
    #[error("{call} failed: {name} ({})", code.0)]
    Status {
        /// The C function.
        call: &'static str,
        /// The status that it returned.
        code: hipError_t,
        /// The library's name for the status.
        name: String,
    },
}

impl CallError {
    /// Turns any status other than `hipSuccess` into an error.
    pub(super) fn check(hip: &Hip, call: &'static str, code: hipError_t) -> Result<(), CallError> {
        if code == hipError_t::hipSuccess {
            return Ok(());
        }
        Err(CallError::Status { call, code, name: error_name(hip, code) })
    }
}

/// The library's name for a status code, such as `hipErrorNoDevice`.
pub fn error_name(hip: &Hip, code: hipError_t) -> String {
    // SAFETY: the function accepts any number.
    match unsafe { hip.hipGetErrorName(code) } {
        // SAFETY: a non-null result points to a constant C string of the library, and libraries are never closed.
        Ok(name) if !name.is_null() => unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned(),
        _ => format!("hipError_t({})", code.0),
    }
}

/// The version of libamdhip64.
///
/// # Errors
///
/// Fails if the library does not export the function or if HIP returns an error.
pub fn runtime_version(hip: &Hip) -> Result<Version, CallError> {
    let mut number = 0;
    // SAFETY: `number` is valid for the write.
    let code = unsafe { hip.hipRuntimeGetVersion(&mut number) }?;
    CallError::check(hip, "hipRuntimeGetVersion", code)?;
    Ok(Version::from_hip(number))
}

/// The version of the driver interface. On AMD it equals the version of libamdhip64.
///
/// # Errors
///
/// Fails if the library does not export the function or if HIP returns an error.
pub fn driver_version(hip: &Hip) -> Result<Version, CallError> {
    let mut number = 0;
    // SAFETY: `number` is valid for the write.
    let code = unsafe { hip.hipDriverGetVersion(&mut number) }?;
    CallError::check(hip, "hipDriverGetVersion", code)?;
    Ok(Version::from_hip(number))
}
