//! How kernels are named and launched: what launchers of all rooms have in common.

use std::fmt;

use rocm_kernels::Module;
use smallvec::SmallVec;

use super::plan::Plan;
use crate::hip::LaunchConfig;
use crate::storage_slice::each_variant;
use crate::{Launch, RocmDevice, RocmStorageSlice};

/// Pointers to elements whose dtype is known at run time, checked as those of buffers are.
pub(crate) trait LaunchExt {
    /// A pointer to the slice's element `offset`, to read from: see [`hip::Launch::buffer`](crate::hip::Launch::buffer).
    fn slice(&mut self, slice: &RocmStorageSlice, offset: usize) -> &mut Self;
    /// A pointer to the slice's element `offset`, to write to: see [`hip::Launch::buffer_mut`](crate::hip::Launch::buffer_mut).
    fn slice_mut(&mut self, slice: &mut RocmStorageSlice, offset: usize) -> &mut Self;
}

impl LaunchExt for Launch<'_> {
    fn slice(&mut self, slice: &RocmStorageSlice, offset: usize) -> &mut Self {
        each_variant!(RocmStorageSlice = slice, (buffer, Wrap) => self.buffer(buffer, offset))
    }

    fn slice_mut(&mut self, slice: &mut RocmStorageSlice, offset: usize) -> &mut Self {
        each_variant!(RocmStorageSlice = slice, (buffer, Wrap) => self.buffer_mut(buffer, offset))
    }
}

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

#[cfg(test)]
mod tests {
    use candle_core::DType;
    use rocm_kernels::FILL;

    use super::*;
    use crate::hip::HipError;
    use crate::platform::HOST;
    use crate::{Result, RocmError};

    /// Slices of every kind: within, one past the last element, beyond it, and another device's.
    #[test]
    fn slices_are_checked() -> Result<()> {
        let (device, other) = (RocmDevice::on(HOST, 0)?, RocmDevice::on(HOST, 0)?);
        for dtype in [DType::U8, DType::F16, DType::F64] {
            let mut x = RocmStorageSlice::zeros(&device, 5, dtype)?;
            for written in [false, true] {
                let mut run = |on: &RocmDevice, offset| {
                    let mut launch = on.launch(&FILL, "fill_u8");
                    if written {
                        launch.slice_mut(&mut x, offset)
                    } else {
                        launch.slice(&x, offset)
                    };
                    // SAFETY: without blocks, nothing runs.
                    unsafe { launch.run(LaunchConfig { grid: [0; 3], block: [1; 3], shared_bytes: 0 }) }
                };
                run(&device, 0)?;
                run(&device, 5)?;
                let error = run(&device, 6).unwrap_err();
                assert!(
                    matches!(error, RocmError::Hip(HipError::OutOfBounds { start: 6, len: 5, .. })),
                    "{error}"
                );
                let error = run(&other, 0).unwrap_err();
                assert!(matches!(error, RocmError::WrongDevice { op: "launch", .. }), "{error}");
            }
        }
        Ok(())
    }
}
