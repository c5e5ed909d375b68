//! Handles: a device, a stream on it, and modes.

use std::ffi::{CStr, c_char, c_void};

use rocm_sys::hip::hipStream_t;
use rocm_sys::rocblas::{
    rocblas_atomics_mode, rocblas_atomics_mode_, rocblas_handle, rocblas_math_mode, rocblas_math_mode_,
    rocblas_pointer_mode, rocblas_pointer_mode_, rocblas_status_,
};

use super::RocblasResult;
use crate::arguments::{required, write_bytes};

/// rocBLAS's handles. Every method may be called with an invalid handle; modes are always known ones.
///
/// # Safety
///
/// Unsafe methods require what their C functions require: handles are valid, and memory is for as long as the call or the queued
/// work uses it.
///
/// # Errors
///
/// `rocblas_status_invalid_handle`, or the code that the method names.
#[allow(clippy::missing_safety_doc)]
pub trait Handles {
    /// The version of the library, such as `4.4.1.my-platform`.
    const VERSION: &'static CStr;

    /// A handle for the calling thread's device.
    /// Fails with `rocblas_status_not_implemented` or `rocblas_status_arch_mismatch` if the device has no rocBLAS.
    fn create() -> RocblasResult<rocblas_handle>;

    /// Destroys a handle. What is queued still runs.
    unsafe fn destroy(handle: rocblas_handle) -> RocblasResult;

    /// Sets the stream that work goes to.
    /// Fails with `rocblas_status_invalid_value` for a stream of another device.
    unsafe fn set_stream(handle: rocblas_handle, stream: hipStream_t) -> RocblasResult;

    /// The stream that work goes to.
    unsafe fn stream(handle: rocblas_handle) -> RocblasResult<hipStream_t>;

    /// Sets whether scalars are on the host or on the device.
    unsafe fn set_pointer_mode(handle: rocblas_handle, mode: rocblas_pointer_mode) -> RocblasResult;

    /// Whether scalars are on the host or on the device.
    unsafe fn pointer_mode(handle: rocblas_handle) -> RocblasResult<rocblas_pointer_mode>;

    /// Sets whether sums may be made by atomic operations, in any order.
    unsafe fn set_atomics_mode(handle: rocblas_handle, mode: rocblas_atomics_mode) -> RocblasResult;

    /// Whether sums may be made by atomic operations.
    unsafe fn atomics_mode(handle: rocblas_handle) -> RocblasResult<rocblas_atomics_mode>;

    /// Sets whether f32 may be multiplied with less precision.
    unsafe fn set_math_mode(handle: rocblas_handle, mode: rocblas_math_mode) -> RocblasResult;

    /// Whether f32 may be multiplied with less precision.
    unsafe fn math_mode(handle: rocblas_handle) -> RocblasResult<rocblas_math_mode>;

    /// Offers device memory for intermediate results.
    unsafe fn set_workspace(handle: rocblas_handle, address: *mut c_void, size: usize) -> RocblasResult;
}

/// A mode that a program sets.
pub trait Mode: Copy + PartialEq + 'static {
    /// All there are.
    const ALL: &'static [Self];

    /// Checks that it is one of them.
    ///
    /// # Errors
    ///
    /// `rocblas_status_invalid_value` if it is not.
    fn check(self) -> RocblasResult<Self> {
        if Self::ALL.contains(&self) { Ok(self) } else { Err(rocblas_status_::rocblas_status_invalid_value) }
    }
}

impl Mode for rocblas_pointer_mode {
    const ALL: &'static [Self] = &[
        rocblas_pointer_mode_::rocblas_pointer_mode_host,
        rocblas_pointer_mode_::rocblas_pointer_mode_device,
    ];
}

impl Mode for rocblas_atomics_mode {
    const ALL: &'static [Self] =
        &[rocblas_atomics_mode_::rocblas_atomics_not_allowed, rocblas_atomics_mode_::rocblas_atomics_allowed];
}

impl Mode for rocblas_math_mode {
    const ALL: &'static [Self] =
        &[rocblas_math_mode_::rocblas_default_math, rocblas_math_mode_::rocblas_xf32_xdl_math_op];
}

/// `rocblas_get_version_string`: writes the version and its final zero.
///
/// # Safety
///
/// `buffer` is null or valid for writing `len` characters.
///
/// # Errors
///
/// `rocblas_status_invalid_pointer` if `buffer` is null, `rocblas_status_invalid_size` if it is too short.
pub unsafe fn write_version(buffer: *mut c_char, len: usize, version: &CStr) -> RocblasResult {
    let version = version.to_bytes_with_nul();
    required(buffer)?;
    if len < version.len() {
        return Err(rocblas_status_::rocblas_status_invalid_size);
    }
    // SAFETY: the caller vouches for `len` characters, and as many as these are there.
    unsafe { write_bytes(buffer, version)? };
    Ok(())
}

/// Defines rocBLAS's functions for handles, in the table `EXPORTS`, for the [`Handles`] of a platform.
#[macro_export]
macro_rules! rocblas_handle_exports {
    ($platform:ident) => {
        mod functions {
            use super::$platform;
            use $crate::abi::rocblas::*;
            use $crate::arguments::write;
            use $crate::rocblas::handle::{self, Mode as _};

            $crate::export! {
                $platform, rocblas => EXPORTS;

                fn rocblas_create_handle(out: *mut rocblas_handle) -> rocblas_status {
                    if out.is_null() {
                        return Err(rocblas_status_::rocblas_status_invalid_handle);
                    }
                    // SAFETY: the caller's out-parameter.
                    Ok(unsafe { write(out, <$platform as handle::Handles>::create()?)? })
                }

                fn rocblas_destroy_handle(handle: rocblas_handle) -> rocblas_status {
                    // SAFETY: the caller's handle.
                    unsafe { <$platform as handle::Handles>::destroy(handle) }
                }

                fn rocblas_set_stream(handle: rocblas_handle, stream: hipStream_t) -> rocblas_status {
                    // SAFETY: the caller's handle and stream.
                    unsafe { <$platform as handle::Handles>::set_stream(handle, stream) }
                }

                fn rocblas_get_stream(handle: rocblas_handle, out: *mut hipStream_t) -> rocblas_status {
                    // SAFETY: the caller's handle and out-parameter.
                    Ok(unsafe { write(out, <$platform as handle::Handles>::stream(handle)?)? })
                }

                fn rocblas_set_pointer_mode(handle: rocblas_handle, mode: rocblas_pointer_mode) -> rocblas_status {
                    // SAFETY: the caller's handle.
                    unsafe { <$platform as handle::Handles>::set_pointer_mode(handle, mode.check()?) }
                }

                fn rocblas_get_pointer_mode(
                    handle: rocblas_handle, out: *mut rocblas_pointer_mode,
                ) -> rocblas_status {
                    // SAFETY: the caller's handle and out-parameter.
                    Ok(unsafe { write(out, <$platform as handle::Handles>::pointer_mode(handle)?)? })
                }

                fn rocblas_set_atomics_mode(handle: rocblas_handle, mode: rocblas_atomics_mode) -> rocblas_status {
                    // SAFETY: the caller's handle.
                    unsafe { <$platform as handle::Handles>::set_atomics_mode(handle, mode.check()?) }
                }

                fn rocblas_get_atomics_mode(
                    handle: rocblas_handle, out: *mut rocblas_atomics_mode,
                ) -> rocblas_status {
                    // SAFETY: the caller's handle and out-parameter.
                    Ok(unsafe { write(out, <$platform as handle::Handles>::atomics_mode(handle)?)? })
                }

                fn rocblas_set_math_mode(handle: rocblas_handle, mode: rocblas_math_mode) -> rocblas_status {
                    // SAFETY: the caller's handle.
                    unsafe { <$platform as handle::Handles>::set_math_mode(handle, mode.check()?) }
                }

                fn rocblas_get_math_mode(handle: rocblas_handle, out: *mut rocblas_math_mode) -> rocblas_status {
                    // SAFETY: the caller's handle and out-parameter.
                    Ok(unsafe { write(out, <$platform as handle::Handles>::math_mode(handle)?)? })
                }

                fn rocblas_set_workspace(
                    handle: rocblas_handle, address: *mut c_void, size: usize,
                ) -> rocblas_status {
                    // SAFETY: the caller's handle and memory.
                    unsafe { <$platform as handle::Handles>::set_workspace(handle, address, size) }
                }

                fn rocblas_get_version_string_size(len: *mut usize) -> rocblas_status {
                    let version = <$platform as handle::Handles>::VERSION;
                    // SAFETY: the caller's out-parameter.
                    Ok(unsafe { write(len, version.to_bytes_with_nul().len())? })
                }

                fn rocblas_get_version_string(buffer: *mut c_char, len: usize) -> rocblas_status {
                    // SAFETY: the caller's buffer.
                    unsafe { handle::write_version(buffer, len, <$platform as handle::Handles>::VERSION) }
                }

                fn rocblas_status_to_string(status: rocblas_status) -> *const c_char {
                    status_text(status).as_ptr()
                }
            }
        }
        #[allow(unused_imports)]
        pub(crate) use functions::*;
    };
}
