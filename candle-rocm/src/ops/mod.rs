//! Candle's operations on device memory, one file per family: `affine.rs` launches what `affine.hip` holds, and so on.
//! A new operation touches its kernel file, its launcher here and its test.

pub(crate) mod affine;
pub(crate) mod binary;
pub(crate) mod cast;
pub(crate) mod copy;
pub(crate) mod fill;
pub(crate) mod layout;
pub(crate) mod map;
pub(crate) mod random;
pub(crate) mod ternary;
pub(crate) mod unary;

use std::fmt;

use rocm_kernels::Module;
use smallvec::SmallVec;

use crate::hip::LaunchConfig;
use crate::{Launch, RocmDevice};
use layout::Plan;

/// A kernel's name, put together without the heap.
struct KernelName(SmallVec<[u8; 64]>);

impl KernelName {
    fn new(name: fmt::Arguments<'_>) -> Self {
        let mut bytes = Self(SmallVec::new());
        // Writing to memory cannot fail, and a name that could not be formatted would be one that is not found.
        let _ = fmt::write(&mut bytes, name);
        bytes
    }

    fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl fmt::Write for KernelName {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        self.0.extend_from_slice(part.as_bytes());
        Ok(())
    }
}

/// Begins the launch of a kernel whose parameters begin with `numel, num_dims, info`.
fn strided<'a>(
    device: &'a RocmDevice,
    module: &'static Module,
    name: fmt::Arguments<'_>,
    plan: &Plan,
) -> Launch<'a> {
    let mut launch = device.launch(module, KernelName::new(name).as_str());
    launch.arg(&plan.numel).arg(&plan.num_dims).info(&plan.info);
    launch
}

/// Threads for a grid-stride loop over `numel` elements of `size` bytes: a thread moves a few 16-byte vectors, enough
/// loads in flight to hide the latency of memory.
fn elementwise(device: &RocmDevice, numel: usize, size: usize) -> LaunchConfig {
    const BYTES_PER_THREAD: usize = 64;
    device.elementwise(numel, BYTES_PER_THREAD / size)
}
