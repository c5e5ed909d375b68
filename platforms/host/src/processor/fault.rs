//! Why work of a device fails.

use rocm_sys::hip::hipError_t;

/// Why queued work failed.
///
/// The first fault of a device sticks: every later call on that device returns its code until `hipDeviceReset`,
/// and work that is still queued is dropped, as after a fault on a GPU.
#[derive(Debug, Clone)]
pub struct Fault {
    pub(crate) code: hipError_t,
    pub(crate) message: String,
}

impl Fault {
    /// A fault with the code that later calls return, and its report.
    pub fn new(code: hipError_t, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// The fault of a kernel that would have crashed a GPU.
    pub(crate) fn launch_failure(message: impl Into<String>) -> Self {
        Self::new(hipError_t::hipErrorLaunchFailure, message)
    }
}
