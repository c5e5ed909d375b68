//! Gradients of what candle-nn computes with kernels of its own. Incoming gradients may have any layout; results are contiguous.

mod experts;
mod norm;
mod softmax;

use candle_core::Layout;

use super::rows::Parts;
use crate::common::map::same;
use crate::common::operand::Operand;
use crate::common::plan::check_bounds;
use crate::hip::{Buffer, LaunchConfig};
use crate::layout::copy;
use crate::reduce::{THREADS, rows_config, threads_per_row};
use crate::{Launch, RocmDType, RocmDevice, RocmError};

pub use experts::{MoeGradients, moe_gemm_backward};
pub use norm::{NormGradients, group_norm_backward, layer_norm_backward, rms_norm_backward};
pub use softmax::softmax_last_dim_backward;

pub(super) fn same_shape(op: &'static str, lhs: &Layout, rhs: &Layout) -> Result<(), RocmError> {
    if lhs.dims() == rhs.dims() {
        return Ok(());
    }
    Err(RocmError::ShapeMismatch { op, lhs: lhs.dims().to_vec(), rhs: rhs.dims().to_vec() })
}

/// A tensor's elements in their order: where they are, or a copy.
struct Dense<'a, T: RocmDType> {
    buffer: &'a Buffer<T>,
    offset: usize,
    copy: Option<Buffer<T>>,
}

impl<'a, T: RocmDType> Dense<'a, T> {
    fn of(op: &'static str, device: &RocmDevice, (x, layout): Operand<'a>) -> Result<Self, RocmError> {
        device.check_same(&x.device, op)?;
        let buffer = same::<T>(op, x.slice()?)?;
        check_bounds(op, layout, buffer.len())?;
        let copy = copy::contiguous(device, (buffer, layout))?;
        Ok(Self { buffer, offset: layout.start_offset(), copy })
    }

    fn bind(&self, launch: &mut Launch<'_>) {
        match &self.copy {
            Some(copy) => launch.buffer(copy, 0),
            None => launch.buffer(self.buffer, self.offset),
        };
    }
}

/// What a launch of `gradients.hip` does, as there.
#[derive(Clone, Copy, PartialEq)]
enum Stage {
    Moments = 0,
    Sums = 1,
    Write = 2,
    Whole = 3,
}

/// The launch of a kernel that takes parts of rows of `cols` elements of `size` bytes.
fn config(device: &RocmDevice, parts: &Parts, cols: usize, size: usize) -> LaunchConfig {
    match parts.whole() {
        true => rows_config(device, parts.total(), threads_per_row(size, cols, THREADS)),
        false => LaunchConfig::looping(parts.total(), THREADS as u32),
    }
}
