//! How kernels are named and launched: what launchers of all rooms have in common.

use std::fmt;

use rocm_kernels::Module;
use smallvec::SmallVec;

use super::plan::Plan;
use crate::hip::LaunchConfig;
use crate::{Launch, RocmDevice};

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
pub(crate) fn strided<'a>(
    device: &'a RocmDevice,
    module: &'static Module,
    name: fmt::Arguments<'_>,
    plan: &Plan,
) -> Launch<'a> {
    planned(device.launch(module, KernelName::new(name).as_str()), plan)
}

/// The launch with the first parameters of such a kernel.
pub(crate) fn planned<'a>(mut launch: Launch<'a>, plan: &Plan) -> Launch<'a> {
    launch.arg(&plan.numel).arg(&plan.num_dims).info(&plan.info);
    launch
}

/// Blocks for a kernel of `elementwise.h` over types of up to `size` bytes.
pub(crate) fn elementwise(device: &RocmDevice, plan: &Plan, size: usize) -> LaunchConfig {
    device.grid_stride(plan.numel, size, plan.is_flat())
}

/// One thread for each of `count`.
pub(crate) fn one_each(count: usize) -> LaunchConfig {
    const THREADS: u32 = 256;
    LaunchConfig::looping(count.div_ceil(THREADS as usize), THREADS)
}
