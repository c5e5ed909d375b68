//! Pools; launches `conv_pool.hip`.

use candle_core::Layout;
use rocm_kernels::CONV_POOL;

#[cfg(feature = "miopen")]
use super::engine::Engines;
use crate::common::launch::{KernelName, one_each};
use crate::common::map::Map1;
use crate::common::plan::check_bounds;
use crate::count::elem_count;
use crate::hip::Buffer;
use crate::{Result, RocmDType, RocmDevice, RocmError, RocmStorageSlice};

/// What becomes of the elements of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Average,
    Max,
}

impl Kind {
    /// The operation's name.
    pub(crate) fn op(self) -> &'static str {
        match self {
            Self::Average => "avg_pool2d",
            Self::Max => "max_pool2d",
        }
    }
}

/// A pool without padding over images `[batch, channels, height, width]`, checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Windows {
    pub(crate) kind: Kind,
    /// Height and width of a window.
    pub(crate) window: (usize, usize),
    /// How far apart windows are.
    pub(crate) stride: (usize, usize),
    pub(crate) input: [usize; 4],
    /// Height and width of the output.
    pub(crate) output: [usize; 2],
}

impl Windows {
    fn new(kind: Kind, layout: &Layout, window: (usize, usize), stride: (usize, usize)) -> Result<Self> {
        let op = kind.op();
        let &[batch, channels, height, width] = layout.dims() else {
            return Err(RocmError::InvalidArgument {
                op,
                message: format!(
                    "expected images [batch, channels, height, width], got shape {:?}",
                    layout.dims()
                ),
            });
        };
        let along = |size: usize, k: usize, s: usize| {
            let sane = k > 0 && s > 0 && s < 1 << 31 && size < 1 << 31;
            sane.then(|| Some(size.checked_sub(k)? / s + 1)).flatten()
        };
        let sizes = along(height, window.0, stride.0).zip(along(width, window.1, stride.1));
        match (sizes, batch.checked_mul(channels)) {
            (Some((h, w)), Some(images)) if images < 1 << 31 => {
                Ok(Self { kind, window, stride, input: [batch, channels, height, width], output: [h, w] })
            }
            _ => Err(RocmError::InvalidArgument {
                op,
                message: format!(
                    "windows of {window:?} at strides of {stride:?} must fit into images of {:?}, whose sizes are below 2^31",
                    layout.dims()
                ),
            }),
        }
    }
}

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
