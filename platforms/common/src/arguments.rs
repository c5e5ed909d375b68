//! Reading and writing what C passes by pointer.

use std::ffi::{CStr, c_char, c_int};

use rocm_sys::comgr::amd_comgr_status_t;
use rocm_sys::hip::hipError_t;
use rocm_sys::hiprtc::hiprtcResult;
use rocm_sys::miopen::miopenStatus_t;
use rocm_sys::rccl::ncclResult_t;
use rocm_sys::rocblas::{rocblas_status, rocblas_status_};

/// A required pointer is null, or a length is negative. `?` turns it into the code that a library has for that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvalidArgument;

impl From<InvalidArgument> for hipError_t {
    fn from(_: InvalidArgument) -> Self {
        Self::hipErrorInvalidValue
    }
}

impl From<InvalidArgument> for hiprtcResult {
    fn from(_: InvalidArgument) -> Self {
        Self::HIPRTC_ERROR_INVALID_INPUT
    }
}

impl From<InvalidArgument> for amd_comgr_status_t {
    fn from(_: InvalidArgument) -> Self {
        Self::AMD_COMGR_STATUS_ERROR_INVALID_ARGUMENT
    }
}

impl From<InvalidArgument> for rocblas_status {
    fn from(_: InvalidArgument) -> Self {
        rocblas_status_::rocblas_status_invalid_pointer
    }
}

impl From<InvalidArgument> for miopenStatus_t {
    fn from(_: InvalidArgument) -> Self {
        Self::miopenStatusBadParm
    }
}

impl From<InvalidArgument> for ncclResult_t {
    fn from(_: InvalidArgument) -> Self {
        Self::ncclInvalidArgument
    }
}

/// Checks that a pointer is not null.
///
/// # Errors
///
/// If it is null.
pub fn required<T>(pointer: *const T) -> Result<(), InvalidArgument> {
    if pointer.is_null() { Err(InvalidArgument) } else { Ok(()) }
}

/// Writes an out-parameter.
///
/// # Safety
///
/// `out` is null or valid for writing a `T`.
///
/// # Errors
///
/// If `out` is null.
pub unsafe fn write<T>(out: *mut T, value: T) -> Result<(), InvalidArgument> {
    required(out)?;
    // SAFETY: not null, so the caller vouches for it.
    unsafe { out.write(value) };
    Ok(())
}

/// Writes an out-parameter that may be left out.
///
/// # Safety
///
/// `out` is null or valid for writing a `T`.
pub unsafe fn write_optional<T>(out: *mut T, value: T) {
    if !out.is_null() {
        // SAFETY: not null, so the caller vouches for it.
        unsafe { out.write(value) };
    }
}

/// Writes bytes to a caller's buffer.
///
/// # Safety
///
/// `out` is null or has room for `bytes`.
///
/// # Errors
///
/// If `out` is null.
pub unsafe fn write_bytes(out: *mut c_char, bytes: &[u8]) -> Result<(), InvalidArgument> {
    required(out)?;
    // SAFETY: not null, so the caller made room.
    unsafe { out.copy_from_nonoverlapping(bytes.as_ptr().cast(), bytes.len()) };
    Ok(())
}

/// Writes text to a caller's buffer: truncated where it does not fit, always terminated by a zero.
///
/// # Safety
///
/// `out` is null or `len` characters may be written there.
///
/// # Errors
///
/// If `out` is null or has no room for the zero.
pub unsafe fn write_text(out: *mut c_char, len: c_int, text: &str) -> Result<(), InvalidArgument> {
    let room = usize::try_from(len).ok().and_then(|len| len.checked_sub(1));
    let room = room.filter(|_| !out.is_null()).ok_or(InvalidArgument)?;
    let count = text.len().min(room);
    // SAFETY: `count` characters and the zero fit, and the caller vouches for the buffer.
    unsafe {
        out.copy_from_nonoverlapping(text.as_ptr().cast(), count);
        out.add(count).write(0);
    }
    Ok(())
}

/// Text as a C array: truncated where it does not fit, always terminated by a zero.
pub fn c_array<const N: usize>(text: &str) -> [c_char; N] {
    let mut array = [0; N];
    for (to, &from) in array.iter_mut().zip(text.as_bytes()).take(N.saturating_sub(1)) {
        *to = from as c_char;
    }
    array
}

/// A required string.
///
/// # Safety
///
/// `text` is null or a C string that outlives `'a`.
///
/// # Errors
///
/// If `text` is null.
pub unsafe fn string<'a>(text: *const c_char) -> Result<&'a CStr, InvalidArgument> {
    required(text)?;
    // SAFETY: not null, so the caller vouches for it.
    Ok(unsafe { CStr::from_ptr(text) })
}

/// A list of strings.
///
/// # Safety
///
/// `texts` is null or points to `count` C strings that outlive `'a`.
///
/// # Errors
///
/// If the list or one of its strings is null or `count` is negative.
pub unsafe fn strings<'a>(
    texts: *const *const c_char,
    count: c_int,
) -> Result<Vec<&'a CStr>, InvalidArgument> {
    let count = usize::try_from(count).map_err(|_| InvalidArgument)?;
    if count > 0 {
        required(texts)?;
    }
    // SAFETY: within the caller's list, whose entries are C strings.
    (0..count).map(|index| unsafe { string(*texts.add(index)) }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ptr;

    #[test]
    fn null_pointers_are_refused() {
        // SAFETY: null pointers are checked for.
        unsafe {
            assert_eq!(write(ptr::null_mut(), 1), Err(InvalidArgument));
            write_optional(ptr::null_mut(), 1);
            assert!(string(ptr::null()).is_err());
            assert!(strings(ptr::null(), 1).is_err());
            assert!(strings(ptr::null(), -1).is_err());
            assert_eq!(strings(ptr::null(), 0), Ok(Vec::new()));
            assert!(write_text(ptr::null_mut(), 4, "text").is_err());
        }
    }

    #[test]
    fn text_is_truncated_and_terminated() {
        let mut buffer = [1; 8];
        // SAFETY: the buffer has the length that is passed.
        unsafe {
            assert_eq!(write_text(buffer.as_mut_ptr(), 4, "hello"), Ok(()));
            assert!(write_text(buffer.as_mut_ptr(), 0, "hello").is_err());
        }
        assert_eq!(buffer[..5].iter().map(|&c| c as u8).collect::<Vec<_>>(), b"hel\0\x01");
        assert_eq!(c_array::<4>("hello").map(|c| c as u8), *b"hel\0");
    }
}
