//! Softmax of rows; launches `rows.hip`, and `reduce.hip` for rows that fit neither a block's registers nor several blocks.

use candle_core::{DType, Layout};
use rocm_kernels::{REDUCE, ROWS};

use super::rows::{
    LARGEST_BLOCK, MOST_ROWS, Parts, are_float_rows, as_rows, threads_that_hold, whole_blocks,
};
use crate::common::launch::KernelName;
use crate::common::operand::{Operand, floats, unsupported};
use crate::common::operation::{Described, One, Op};
use crate::hip::LaunchConfig;
use crate::reduce::{STATE_WORDS, rows_config, threads_per_row};
use crate::storage_slice::each_dtype;
use crate::{RocmDType, RocmDevice, RocmError, RocmStorage, RocmStorageSlice};

pub(super) const OP: &str = "softmax-last-dim";

/// [`softmax_last_dim`].
#[derive(Clone, Copy)]
pub(crate) struct SoftmaxLastDim;

impl Op for SoftmaxLastDim {
    type Operands<T> = One<T>;

    fn name(&self) -> &'static str {
        OP
    }

    fn key(&self, _: &mut Vec<u64>) {}

    fn result(&self, _: &RocmDevice, One { x }: One<Described<'_>>) -> Option<(usize, DType)> {
        are_float_rows(&x).then_some((x.len, x.dtype))
    }

    fn run(
        &self,
        _: &RocmDevice,
        One { x: (x, layout) }: One<Operand<'_>>,
    ) -> candle_core::Result<RocmStorageSlice> {
        Ok(softmax_last_dim(x, layout)?.into_slice()?)
    }
}

/// Softmax over the last dimension: `exp(x - max) / sum(exp(x - max))` of each row. As on candle's CPU backend, a row that contains
/// NaN or +infinity, or nothing but -infinity, becomes NaN.
///
/// # Errors
/// [`RocmError::UnsupportedDType`] unless `x` is f16, bf16, f32 or f64; otherwise if an operand is not contiguous, does not match the shape
/// or dtype of `x`, or is on another device.
pub fn softmax_last_dim(x: &RocmStorage, layout: &Layout) -> Result<RocmStorage, RocmError> {
    floats(OP, x)?;
    each_dtype!(x.dtype(), T => launch::<T>(x, layout), else unsupported(OP, x))
}

fn launch<T: RocmDType>(x: &RocmStorage, layout: &Layout) -> Result<RocmStorage, RocmError> {
    let device = &x.device;
    let (src, rows, cols) = as_rows::<T>(OP, x, layout)?;
    let mut out = device.alloc::<T>(rows * cols)?;
    let (offset, n_cols) = (layout.start_offset(), cols as i32);
    let start = src.as_ptr().byte_add(offset * size_of::<T>());
    if rows * cols == 0 {
        return Ok(RocmStorage::new(T::wrap(out), device.clone()));
    }
    let parts = Parts::new(device, rows, cols, size_of::<T>());
    if let Some(threads) = threads_that_hold::<T>(cols, &[start]) {
        let name = KernelName::new(format_args!("row_softmax_{}", T::KERNEL_DTYPE));
        let mut launch = device.launch(&ROWS, name.as_str());
        launch.buffer(src, offset).buffer_mut(&mut out, 0).arg(&rows).arg(&(cols as u32));
        // SAFETY: row_softmax_*(src, dst, rows, n_cols): both have rows * cols elements, and src is aligned, as dst is.
        unsafe { launch.run(rows_config(device, rows, threads)) }?;
    } else if !parts.whole() {
        let name = KernelName::new(format_args!("split_softmax_{}", T::KERNEL_DTYPE));
        // SAFETY: split_softmax_*(src, dst, n_cols, ..); src, checked to be contiguous, and dst have rows * cols elements.
        unsafe {
            parts.launch(device, &name, STATE_WORDS, |launch| {
                launch.buffer(src, offset).buffer_mut(&mut out, 0).arg(&(cols as u32));
                Ok(())
            })
        }?;
    } else {
        let threads = threads_per_row(size_of::<T>(), cols, LARGEST_BLOCK);
        let name = KernelName::new(format_args!("softmax_{}", T::KERNEL_DTYPE));
        for first in (0..rows).step_by(MOST_ROWS) {
            let count = MOST_ROWS.min(rows - first);
            let per_block = whole_blocks(device, count, threads);
            let grid = [(count / per_block) as u32, 1, 1];
            let config = LaunchConfig { grid, block: [per_block as u32, threads as u32, 1], shared_bytes: 0 };
            let mut launch = device.launch(&REDUCE, name.as_str());
            launch.buffer(src, offset + first * cols).buffer_mut(&mut out, first * cols).arg(&n_cols);
            // SAFETY: softmax_*(src, dst, n_cols) on gridDim.x * blockDim.x = count rows, which both have.
            unsafe { launch.run(config) }?;
        }
    }
    Ok(RocmStorage::new(T::wrap(out), device.clone()))
}

#[cfg(candle_rocm_seam)]
mod fused {
    use candle_core::{DType, Result};

    use super::SoftmaxLastDim;
    use crate::common::fused::{Backward, Fused, Gradients};
    use crate::common::operation::One;
    use crate::dtype::DTypeExt;
    use crate::nn::softmax_last_dim_backward;

    impl Fused for SoftmaxLastDim {
        fn takes(&self, first: DType) -> bool {
            first.is_16_to_64_bit_float()
        }

        fn backward(&self, Backward { y, dy, .. }: Backward<'_, Self>) -> Result<Gradients<Self>> {
            Ok(Some(One { x: Some(softmax_last_dim_backward(y, dy)?) }))
        }
    }
}
