//! The gradient of softmax; launches `gradients.hip`.

use rocm_kernels::GRADIENTS;

use super::{Dense, Stage, config, same_shape};
use crate::common::launch::KernelName;
use crate::common::operand::{Operand, floats, unsupported};
use crate::nn::rows::{Parts, as_rows};
use crate::storage_slice::each_dtype;
use crate::{RocmDType, RocmError, RocmStorage};

const OP: &str = "softmax-last-dim backward";

/// Computes the gradient of the operand of [`softmax_last_dim`](crate::nn::softmax_last_dim), `y * (dy - sum(dy * y))` per row, from the
/// result `y` and its gradient `dy`.
///
/// # Errors
/// As the forward pass, and if `dy` does not have the result's shape, dtype and device.
pub fn softmax_last_dim_backward(y: Operand<'_>, dy: Operand<'_>) -> Result<RocmStorage, RocmError> {
    floats(OP, y.0)?;
    each_dtype!(y.0.dtype(), T => launch::<T>(y, dy), else unsupported(OP, y.0))
}

fn launch<T: RocmDType>((y, layout): Operand<'_>, dy: Operand<'_>) -> Result<RocmStorage, RocmError> {
    let device = &y.device;
    let (src, rows, cols) = as_rows::<T>(OP, y, layout)?;
    same_shape(OP, layout, dy.1)?;
    let dy = Dense::<T>::of(OP, device, dy)?;
    let mut dx = device.alloc::<T>(rows * cols)?;
    if rows * cols > 0 {
        let parts = Parts::new(device, rows, cols, size_of::<T>());
        let stages: &[Stage] = if parts.whole() { &[Stage::Whole] } else { &[Stage::Sums, Stage::Write] };
        let mut partial = device.alloc::<usize>(if parts.whole() { 0 } else { 2 * parts.total() })?;
        let name = KernelName::new(format_args!("softmax_backward_{}", T::KERNEL_DTYPE));
        for &stage in stages {
            let mut launch = device.launch(&GRADIENTS, name.as_str());
            launch.buffer(src, layout.start_offset());
            dy.bind(&mut launch);
            launch.buffer_mut(&mut dx, 0).arg(&(cols as u32));
            parts.bind(&mut launch);
            launch.buffer_mut(&mut partial, 0).arg(&(stage as u32));
            // SAFETY: softmax_backward_*(y, dy, dx, n_cols, n_rows, splits, part, partial, stage): all three have rows * cols
            // elements; partial, which one launch for whole rows does not use, has two words for each part.
            unsafe { launch.run(config(device, &parts, cols, size_of::<T>())) }?;
        }
    }
    Ok(RocmStorage::new(T::wrap(dx), device.clone()))
}
