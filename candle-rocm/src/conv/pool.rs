//! Pools; launches `conv_pool.hip`.

use candle_core::{DType, Layout};
use rocm_kernels::CONV_POOL;

#[cfg(feature = "miopen")]
use super::engine::Engines;
use super::windows::{Kind, Windows};
use crate::common::launch::{KernelName, one_each};
use crate::common::map::Map1;
use crate::common::operand::{Operand, slice};
use crate::common::operation::{Described, One, Op};
use crate::common::plan::check_bounds;
use crate::count::{elem_count, product};
use crate::hip::Buffer;
use crate::{ConvEngine, Result, RocmDType, RocmDevice, RocmStorageSlice};

/// A pool, of any dtype and layout.
#[derive(Clone, Copy)]
pub(crate) struct Pool {
    pub(crate) kind: Kind,
    pub(crate) window: (usize, usize),
    pub(crate) stride: (usize, usize),
}

impl Op for Pool {
    type Operands<T> = One<T>;

    fn name(&self) -> &'static str {
        self.kind.op()
    }

    fn key(&self, words: &mut Vec<u64>) {
        let sizes = [self.window.0, self.window.1, self.stride.0, self.stride.1];
        words.extend(sizes.map(|size| size as u64));
        words.push(self.kind as u64);
    }

    fn result(&self, device: &RocmDevice, One { x }: One<Described<'_>>) -> Option<(usize, DType)> {
        let windows = Windows::new(self.kind, x.layout, self.window, self.stride).ok()?;
        let [batch, channels, ..] = windows.input;
        let count = product(&[batch, channels, windows.output[0], windows.output[1]])?;
        (device.conv_engine() != ConvEngine::Miopen).then_some((count, x.dtype))
    }

    fn run(&self, device: &RocmDevice, One { x }: One<Operand<'_>>) -> candle_core::Result<RocmStorageSlice> {
        let (src, layout) = slice(x)?;
        check_bounds(self.name(), layout, src.len())?;
        Ok(Windows::new(self.kind, layout, self.window, self.stride)?.map(device, src, layout)?)
    }
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
        if device.conv_engine() == ConvEngine::Miopen && count > 0 && layout.is_contiguous() {
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
