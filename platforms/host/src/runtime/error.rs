//! Error codes: their names and texts, and the last error of each thread.

use crate::exports::{Export, export};
use rocm_sys::hip::{error_text, hipError_t};
use std::cell::Cell;
use std::ffi::{CStr, c_char, c_void};

pub(crate) use rocm_sys::implement::write;

thread_local! {
    static LAST: Cell<hipError_t> = const { Cell::new(hipError_t::hipSuccess) };
}

/// Turns the result of a call into its return value. An error other than "not ready" becomes the thread's last error.
pub(crate) fn finish(result: Result<(), hipError_t>) -> hipError_t {
    match result {
        Ok(()) => hipError_t::hipSuccess,
        Err(hipError_t::hipErrorNotReady) => hipError_t::hipErrorNotReady,
        Err(code) => {
            LAST.set(code);
            code
        }
    }
}

const UNKNOWN: (&CStr, &CStr) = (c"hipErrorUnknown", c"unknown error");

export! {
    hip => EXPORTS;

    /// The code's name; `hipErrorUnknown` for a number that is no code.
    fn hipGetErrorName(code: hipError_t) -> *const c_char {
        error_text(code).unwrap_or(UNKNOWN).0.as_ptr()
    }

    /// What the code means, in words.
    fn hipGetErrorString(code: hipError_t) -> *const c_char {
        error_text(code).unwrap_or(UNKNOWN).1.as_ptr()
    }

    fn hipDrvGetErrorName(code: hipError_t, text: *mut *const c_char) -> hipError_t {
        let known = error_text(code);
        // SAFETY: the caller's out-parameter.
        unsafe { write(text, known.unwrap_or(UNKNOWN).0.as_ptr())? };
        known.map(|_| ()).ok_or(hipError_t::hipErrorInvalidValue)
    }

    fn hipDrvGetErrorString(code: hipError_t, text: *mut *const c_char) -> hipError_t {
        let known = error_text(code);
        // SAFETY: the caller's out-parameter.
        unsafe { write(text, known.unwrap_or(UNKNOWN).1.as_ptr())? };
        known.map(|_| ()).ok_or(hipError_t::hipErrorInvalidValue)
    }
}

/// The functions that return the last error: they must not record what they return, so they are no `export!`.
pub(crate) const LAST_ERROR_EXPORTS: &[Export] = &[
    Export { name: "hipGetLastError", address: hipGetLastError as *const c_void },
    Export { name: "hipPeekAtLastError", address: hipPeekAtLastError as *const c_void },
];

const _: rocm_sys::hip::signature::hipGetLastError = hipGetLastError;
const _: rocm_sys::hip::signature::hipPeekAtLastError = hipPeekAtLastError;

/// Returns this thread's last error and forgets it.
#[cfg_attr(feature = "export", unsafe(no_mangle))]
#[allow(non_snake_case)]
unsafe extern "C" fn hipGetLastError() -> hipError_t {
    LAST.replace(hipError_t::hipSuccess)
}

/// Returns this thread's last error and keeps it.
#[cfg_attr(feature = "export", unsafe(no_mangle))]
#[allow(non_snake_case)]
unsafe extern "C" fn hipPeekAtLastError() -> hipError_t {
    LAST.get()
}
