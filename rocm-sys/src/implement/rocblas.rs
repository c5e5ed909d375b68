//! What every implementation of rocBLAS does alike.

use std::ffi::c_char;

use crate::rocblas::{rocblas_status, rocblas_status_};

/// Writes an out-parameter; a null pointer is an invalid one.
///
/// # Safety
///
/// `out` is null or valid for writing a `T`.
pub unsafe fn write<T>(out: *mut T, value: T) -> Result<(), rocblas_status> {
    // SAFETY: the caller's promise.
    unsafe { super::write_or(out, value, rocblas_status_::rocblas_status_invalid_pointer) }
}

/// `rocblas_get_version_string`: writes `version`, which ends in a zero.
///
/// # Safety
///
/// `buffer` is null or valid for writing `len` characters.
pub unsafe fn write_version(buffer: *mut c_char, len: usize, version: &[u8]) -> Result<(), rocblas_status> {
    if buffer.is_null() {
        return Err(rocblas_status_::rocblas_status_invalid_pointer);
    }
    if len < version.len() {
        return Err(rocblas_status_::rocblas_status_invalid_size);
    }
    // SAFETY: the caller vouches for `len` characters, and as many as these are there.
    unsafe { buffer.copy_from_nonoverlapping(version.as_ptr().cast(), version.len()) };
    Ok(())
}
