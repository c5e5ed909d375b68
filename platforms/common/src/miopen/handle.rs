//! Handles: a device and a stream on it.

use rocm_sys::miopen::{miopenAcceleratorQueue_t, miopenHandle_t};

use super::MiopenResult;
use crate::arguments::write_optional;

/// MIOpen's handles. Every method may be called with an invalid handle.
///
/// # Safety
///
/// Unsafe methods require what their C functions require: handles are valid, and memory is for as long as the call or the queued
/// work uses it.
///
/// # Errors
///
/// `miopenStatusBadParm` for an invalid handle, or the code that the method names.
#[allow(clippy::missing_safety_doc)]
pub trait Handles {
    /// A handle for the calling thread's device, whose work goes to `stream`.
    /// Fails with `miopenStatusNotInitialized` or `miopenStatusNotImplemented` if there is no MIOpen.
    unsafe fn create(stream: miopenAcceleratorQueue_t) -> MiopenResult<miopenHandle_t>;

    /// Destroys a handle. What is queued still runs.
    unsafe fn destroy(handle: miopenHandle_t) -> MiopenResult;

    /// Sets the stream that work goes to.
    /// Fails with `miopenStatusBadParm` for an invalid stream.
    unsafe fn set_stream(handle: miopenHandle_t, stream: miopenAcceleratorQueue_t) -> MiopenResult;

    /// The stream that work goes to.
    unsafe fn stream(handle: miopenHandle_t) -> MiopenResult<miopenAcceleratorQueue_t>;
}

/// `miopenGetVersion`: the version of the bindings. Each pointer may be left out.
///
/// # Safety
///
/// Each pointer is null or valid for writing.
pub unsafe fn write_version(major: *mut usize, minor: *mut usize, patch: *mut usize) {
    for (out, number) in [(major, 3), (minor, 4), (patch, 0)] {
        // SAFETY: the caller's promise.
        unsafe { write_optional(out, number) };
    }
}

/// Defines MIOpen's functions for handles, in the table `EXPORTS`, for the [`Handles`] of a platform.
#[macro_export]
macro_rules! miopen_handle_exports {
    ($platform:ident) => {
        mod functions {
            use super::$platform;
            use $crate::abi::miopen::*;
            use $crate::arguments::{required, write};
            use $crate::miopen::handle;

            $crate::export! {
                $platform, miopen => EXPORTS;

                fn miopenCreate(out: *mut miopenHandle_t) -> miopenStatus_t {
                    required(out)?;
                    // SAFETY: the caller's out-parameter; the null stream is valid.
                    Ok(unsafe { write(out, <$platform as handle::Handles>::create(::core::ptr::null_mut())?)? })
                }

                fn miopenCreateWithStream(
                    out: *mut miopenHandle_t, stream: miopenAcceleratorQueue_t,
                ) -> miopenStatus_t {
                    required(out)?;
                    // SAFETY: the caller's out-parameter and stream.
                    Ok(unsafe { write(out, <$platform as handle::Handles>::create(stream)?)? })
                }

                fn miopenDestroy(handle: miopenHandle_t) -> miopenStatus_t {
                    // SAFETY: the caller's handle.
                    unsafe { <$platform as handle::Handles>::destroy(handle) }
                }

                fn miopenSetStream(handle: miopenHandle_t, stream: miopenAcceleratorQueue_t) -> miopenStatus_t {
                    // SAFETY: the caller's handle and stream.
                    unsafe { <$platform as handle::Handles>::set_stream(handle, stream) }
                }

                fn miopenGetStream(handle: miopenHandle_t, out: *mut miopenAcceleratorQueue_t) -> miopenStatus_t {
                    // SAFETY: the caller's handle and out-parameter.
                    Ok(unsafe { write(out, <$platform as handle::Handles>::stream(handle)?)? })
                }

                fn miopenGetVersion(major: *mut usize, minor: *mut usize, patch: *mut usize) -> miopenStatus_t {
                    // SAFETY: the caller's out-parameters.
                    unsafe { handle::write_version(major, minor, patch) };
                    Ok(())
                }

                fn miopenGetErrorString(error: miopenStatus_t) -> *const c_char {
                    status_text(error).as_ptr()
                }
            }
        }
        #[allow(unused_imports)]
        pub(crate) use functions::*;
    };
}
