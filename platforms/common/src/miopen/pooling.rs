//! Pooling.

use std::ffi::c_void;

use rocm_sys::miopen::{miopenHandle_t, miopenPoolingDescriptor_t, miopenTensorDescriptor_t};

use super::{Factors, MiopenResult};

/// Pooling of images x to images y.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Pooling {
    pub handle: miopenHandle_t,
    pub pooling: miopenPoolingDescriptor_t,
    pub factors: Factors,
    pub x_descriptor: miopenTensorDescriptor_t,
    pub x: *const c_void,
    pub y_descriptor: miopenTensorDescriptor_t,
    pub y: *mut c_void,
    /// Whether the gradient will be asked for.
    pub for_training: bool,
}

/// Pooling of a platform.
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
pub trait Poolings {
    /// Queues it.
    /// Fails with `miopenStatusBadParm` for what is not valid or does not fit together, `miopenStatusNotImplemented` for what is
    /// not supported.
    unsafe fn forward(call: &Pooling) -> MiopenResult;
}

/// Defines MIOpen's functions for pooling, in the table `EXPORTS`, for the [`Poolings`] of a platform.
#[macro_export]
macro_rules! miopen_pooling_exports {
    ($platform:ident) => {
        mod functions {
            use super::$platform;
            use $crate::abi::miopen::*;
            use $crate::miopen::{Factors, Pooling, Poolings};

            $crate::export! {
                $platform, miopen => EXPORTS;

                fn miopenPoolingForward(
                    handle: miopenHandle_t, pooling: miopenPoolingDescriptor_t, alpha: *const c_void,
                    x_descriptor: miopenTensorDescriptor_t, x: *const c_void, beta: *const c_void,
                    y_descriptor: miopenTensorDescriptor_t, y: *mut c_void, for_training: bool,
                    _workspace: *mut c_void, _size: usize,
                ) -> miopenStatus_t {
                    let factors = Factors { alpha, beta };
                    let call = Pooling { handle, pooling, factors, x_descriptor, x, y_descriptor, y, for_training };
                    // SAFETY: the caller's handle, descriptors and memory.
                    unsafe { <$platform as Poolings>::forward(&call) }
                }
            }
        }
        #[allow(unused_imports)]
        pub(crate) use functions::*;
    };
}
