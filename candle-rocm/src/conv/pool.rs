//! Pools; launches `conv_pool.hip`.

use candle_core::Layout;
use rocm_kernels::CONV_POOL;

#[cfg(feature = "miopen")]
use super::engine::Engines;
use super::windows::{Kind, Windows};
use crate::common::launch::{KernelName, one_each};
use crate::common::map::Map1;
use crate::common::plan::check_bounds;
use crate::count::elem_count;
use crate::hip::Buffer;
use crate::{Result, RocmDType, RocmDevice, RocmStorageSlice};

/// A pool, of any dtype and layout.
pub(crate) fn pool(
    device: &RocmDevice,
    kind: Kind,
    (src, layout): (&RocmStorageSlice, &Layout),
    window: (usize, usize),
    stride: (usize, usize),
) -> Result<RocmStorageSlice> {
    check_bounds(kind.op(), layout, src.len())?;
    Windows::new(kind, layout, window, stride)?.map(device, src, layout)
}

impl Map1 for Windows {
    fn op(&self) -> &'static str {
        self.kind.op()
    }

    fn f<T: RocmDType>(&self, device: &RocmDevice, src: &Buffer<T>, layout: &Layout) -> Result<Buffer<T>> {
        let [batch, channels, ..] = self.input;
        let count = elem_count(self.op(), &[batch, channels, self.output[0], self.output[1]])?;
        let mut out = device.alloc::<T>(count)?;
        #[cfg(feature = "miopen")]
        if device.conv_engine() == crate::ConvEngine::Miopen && count > 0 && layout.is_contiguous() {
            let x = src.as_ptr().byte_add(layout.start_offset() * size_of::<T>());
            if Engines::of(device).miopen.pool(device, self, T::DTYPE, [x, out.as_ptr()])? {
                return Ok(out);
            }
        }
        let name = KernelName::new(format_args!("{}_{}", self.op(), T::KERNEL_DTYPE));
        let mut launch = device.launch(&CONV_POOL, name.as_str());
        launch
            .arg(&src.len())
            .arg(&self.window.0)
            .arg(&self.window.1)
            .arg(&self.stride.0)
            .arg(&self.stride.1);
        launch.info(&info(layout)).buffer(src, layout.start_offset()).buffer_mut(&mut out, 0);
        // A thread has four small windows, so that it sets up its index arithmetic once.
        let per_thread = if self.window == (2, 2) { 4 } else { 1 };
        // SAFETY: avg_pool2d_* and max_pool2d_*(src_numel, window, stride, info, src, dst). The layout was checked, windows
        // lie inside of it, and the output has an element for each.
        unsafe { launch.run(one_each(count.div_ceil(per_thread))) }?;
        Ok(out)
    }
}

/// Dims and strides.
pub(super) fn info(layout: &Layout) -> [usize; 8] {
    let mut info = [0; 8];
    for (to, &from) in info.iter_mut().zip(layout.dims().iter().chain(layout.stride())) {
        *to = from;
    }
    info
}
