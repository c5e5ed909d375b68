//! libMIOpen: handles, descriptors, convolutions and pooling.

pub mod convolution;
pub mod descriptor;
pub mod handle;
pub mod pooling;

pub use convolution::{Algorithm, Convolution, Convolutions, Direction, Operands};
pub use descriptor::{Descriptors, Layout, Motion, Window};
pub use handle::Handles;
pub use pooling::{Pooling, Poolings};

use std::ffi::c_void;

use rocm_sys::miopen::miopenStatus_t;

/// What MIOpen's functions return.
pub type MiopenResult<T = ()> = Result<T, miopenStatus_t>;

/// Pointers to the factors of a result: `y = alpha * result + beta * y`. They are f32.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Factors {
    pub alpha: *const c_void,
    pub beta: *const c_void,
}

/// Checks that a handle or descriptor is not null.
///
/// # Errors
///
/// `miopenStatusBadParm` if it is.
pub fn check<T>(handle: *const T) -> MiopenResult {
    Ok(crate::arguments::required(handle)?)
}
