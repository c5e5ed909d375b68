//! Filling memory with a value.

use std::ffi::c_void;

use rocm_sys::hip::{hipError_t, hipStream_t};

use super::HipResult;

/// What memory is filled with.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub enum Pattern {
    U8(u8),
    U16(u16),
    U32(u32),
}

/// Rows of `width` bytes to fill, whose starts lie `pitch` bytes apart.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Rows {
    pub to: *mut c_void,
    pub pitch: usize,
    pub value: u8,
    pub width: usize,
    pub height: usize,
}

/// Fills: on the null stream, or asynchronously on `stream`.
///
/// # Safety
///
/// Unsafe methods require what their C functions require: handles are valid, and memory is for as long as the call or the queued
/// work uses it.
///
/// # Errors
///
/// The code that the C function is to return.
#[allow(clippy::missing_safety_doc)]
pub trait Fills {
    /// Writes `count` values, which may be none.
    unsafe fn fill(to: *mut c_void, value: Pattern, count: usize, stream: Option<hipStream_t>) -> HipResult;

    /// Fills rows that do not overlap. There may be none, and they may be empty.
    unsafe fn fill_rows(rows: Rows, stream: Option<hipStream_t>) -> HipResult;
}

/// `hipMemset2D` and `hipMemset2DAsync`.
///
/// # Safety
///
/// As for [`Fills::fill_rows`].
///
/// # Errors
///
/// As for [`Fills::fill_rows`]; `hipErrorInvalidPitchValue` for rows that overlap.
pub unsafe fn fill_rows<F: Fills>(rows: Rows, stream: Option<hipStream_t>) -> HipResult {
    if rows.height > 1 && rows.width > rows.pitch {
        return Err(hipError_t::hipErrorInvalidPitchValue);
    }
    // SAFETY: the caller's promise.
    unsafe { F::fill_rows(rows, stream) }
}

/// Defines HIP's functions that fill memory, in the table `EXPORTS`, for the [`Fills`] of a platform.
#[macro_export]
macro_rules! hip_fill_exports {
    ($platform:ident) => {
        mod functions {
            use super::$platform;
            use $crate::abi::hip::*;
            use $crate::hip::fill::{self, Pattern, Rows};

            $crate::export! {
                $platform, hip => EXPORTS;

                fn hipMemset(to: *mut c_void, value: c_int, size: usize) -> hipError_t {
                    // SAFETY: the platform checks the address.
                    unsafe { <$platform as fill::Fills>::fill(to, Pattern::U8(value as u8), size, None) }
                }

                fn hipMemsetAsync(to: *mut c_void, value: c_int, size: usize, stream: hipStream_t) -> hipError_t {
                    // SAFETY: the caller's stream.
                    unsafe { <$platform as fill::Fills>::fill(to, Pattern::U8(value as u8), size, Some(stream)) }
                }

                fn hipMemsetD8(to: hipDeviceptr_t, value: c_uchar, count: usize) -> hipError_t {
                    // SAFETY: the platform checks the address.
                    unsafe { <$platform as fill::Fills>::fill(to, Pattern::U8(value), count, None) }
                }

                fn hipMemsetD8Async(
                    to: hipDeviceptr_t, value: c_uchar, count: usize, stream: hipStream_t,
                ) -> hipError_t {
                    // SAFETY: the caller's stream.
                    unsafe { <$platform as fill::Fills>::fill(to, Pattern::U8(value), count, Some(stream)) }
                }

                fn hipMemsetD16(to: hipDeviceptr_t, value: c_ushort, count: usize) -> hipError_t {
                    // SAFETY: the platform checks the address.
                    unsafe { <$platform as fill::Fills>::fill(to, Pattern::U16(value), count, None) }
                }

                fn hipMemsetD16Async(
                    to: hipDeviceptr_t, value: c_ushort, count: usize, stream: hipStream_t,
                ) -> hipError_t {
                    // SAFETY: the caller's stream.
                    unsafe { <$platform as fill::Fills>::fill(to, Pattern::U16(value), count, Some(stream)) }
                }

                fn hipMemsetD32(to: hipDeviceptr_t, value: c_int, count: usize) -> hipError_t {
                    // SAFETY: the platform checks the address.
                    unsafe { <$platform as fill::Fills>::fill(to, Pattern::U32(value as u32), count, None) }
                }

                fn hipMemsetD32Async(
                    to: hipDeviceptr_t, value: c_int, count: usize, stream: hipStream_t,
                ) -> hipError_t {
                    // SAFETY: the caller's stream.
                    unsafe { <$platform as fill::Fills>::fill(to, Pattern::U32(value as u32), count, Some(stream)) }
                }

                fn hipMemset2D(
                    to: *mut c_void, pitch: usize, value: c_int, width: usize, height: usize,
                ) -> hipError_t {
                    let rows = Rows { to, pitch, value: value as u8, width, height };
                    // SAFETY: the platform checks the address.
                    unsafe { fill::fill_rows::<$platform>(rows, None) }
                }

                fn hipMemset2DAsync(
                    to: *mut c_void, pitch: usize, value: c_int, width: usize, height: usize, stream: hipStream_t,
                ) -> hipError_t {
                    let rows = Rows { to, pitch, value: value as u8, width, height };
                    // SAFETY: the caller's stream.
                    unsafe { fill::fill_rows::<$platform>(rows, Some(stream)) }
                }
            }
        }
        #[allow(unused_imports)]
        pub(crate) use functions::*;
    };
}
