//! What every implementation of MIOpen does alike.

use crate::miopen::miopenStatus_t;

/// Writes an out-parameter; a null pointer is a bad parameter.
///
/// # Safety
///
/// `out` is null or valid for writing a `T`.
pub unsafe fn write<T>(out: *mut T, value: T) -> Result<(), miopenStatus_t> {
    // SAFETY: the caller's promise.
    unsafe { super::write_or(out, value, miopenStatus_t::miopenStatusBadParm) }
}

/// `miopenGetVersion`: the version that the bindings are of, to the pointers that are there.
///
/// # Safety
///
/// Each pointer is null or valid for writing.
pub unsafe fn write_version(major: *mut usize, minor: *mut usize, patch: *mut usize) {
    for (out, number) in [(major, 3), (minor, 4), (patch, 0)] {
        if !out.is_null() {
            // SAFETY: the caller vouches for the pointers that are there.
            unsafe { out.write(number) };
        }
    }
}
