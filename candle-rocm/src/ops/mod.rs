//! Candle's operations on device memory, one file per family: `affine.rs` launches what `affine.hip` holds, and so on.
//! A new operation touches its kernel file, its launcher here and its test.

pub(crate) mod affine;
pub(crate) mod binary;
pub(crate) mod cast;
pub(crate) mod cat;
pub(crate) mod conv;
pub(crate) mod copy;
pub(crate) mod fill;
pub(crate) mod indexing;
pub(crate) mod layout;
pub(crate) mod map;
pub(crate) mod matmul;
pub(crate) mod pool;
pub(crate) mod random;
pub(crate) mod reduce;
pub(crate) mod scan;
pub(crate) mod sort;
pub(crate) mod ternary;
mod transpose;
mod transposed;
pub(crate) mod unary;
pub(crate) mod upsample;

use std::fmt;

use rocm_kernels::Module;
use smallvec::SmallVec;

use crate::hip::LaunchConfig;
use crate::{Launch, RocmDevice};
use layout::Plan;

/// A kernel's name, put together without the heap.
pub(crate) struct KernelName(SmallVec<[u8; 64]>);

impl KernelName {
    pub(crate) fn new(name: fmt::Arguments<'_>) -> Self {
        let mut bytes = Self(SmallVec::new());
        // Writing to memory cannot fail, and a name that could not be formatted would be one that is not found.
        let _ = fmt::write(&mut bytes, name);
        bytes
    }

    pub(crate) fn as_str(&self) -> &str {
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

/// Blocks for a kernel of `elementwise.h` over types of up to `size` bytes.
fn elementwise(device: &RocmDevice, plan: &Plan, size: usize) -> LaunchConfig {
    blocks(device, plan.numel, size, plan.is_flat())
}

/// Blocks for a grid-stride loop.
fn blocks(device: &RocmDevice, numel: usize, size: usize, contiguous: bool) -> LaunchConfig {
    device.grid_stride(numel, size, contiguous)
}
