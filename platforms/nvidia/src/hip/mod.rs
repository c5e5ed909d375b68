//! The HIP runtime over the CUDA driver.
//!
//! Handles pass through: a `hipStream_t` is a `CUstream`, a `hipFunction_t` a `CUfunction`, and so on. Each device has
//! its primary context, the one that CUDA's own runtime uses, so that both can work on the same memory in one process.

pub(crate) mod copy;
pub(crate) mod device;
mod driver;
pub(crate) mod event;
pub(crate) mod fill;
mod image;
pub(crate) mod kernel;
pub(crate) mod launch;
pub(crate) mod memory;
pub(crate) mod module;
pub(crate) mod peer;
pub(crate) mod properties;
pub(crate) mod stream;

pub use device::unavailable;
pub(crate) use driver::version as driver_version;
