//! `mul * x + add`, for every dtype; launches `affine.hip`.

use candle_core::Layout;
use rocm_kernels::AFFINE;

use super::operands::Operands;
use crate::common::map::Map1;
use crate::hip::Buffer;
use crate::layout::transposed;
use crate::{RocmDType, RocmDevice, RocmError, RocmStorageSlice};

struct Affine {
    mul: f64,
    add: f64,
}

impl Map1 for Affine {
    fn op(&self) -> &'static str {
        "affine"
    }

    fn f<T: RocmDType>(
        &self,
        device: &RocmDevice,
        src: &Buffer<T>,
        layout: &Layout,
    ) -> Result<Buffer<T>, RocmError> {
        // As on candle's CPU, the constants are rounded to the dtype first.
        let (mul, add) = (T::from_f64(self.mul), T::from_f64(self.add));
        let operand = Operands::new(self.op(), [(src, layout)])?;
        if let Some((transposition, src)) = operand.large_transposed()
            && transposed::has_affine::<T>()
        {
            let mut out = device.alloc::<T>(operand.numel())?;
            // SAFETY: the operand's plan was made for src, and out has its elements.
            unsafe { transposed::affine(device, transposition, src, (mul, add), &mut out) }?;
            return Ok(out);
        }
        let operand = operand.untransposed(device)?;
        let mut out = device.alloc::<T>(operand.numel())?;
        if out.is_empty() {
            return Ok(out);
        }
        let mut launch = operand.launch(device, &AFFINE, format_args!("affine_{}", T::KERNEL_DTYPE), |_| {});
        launch.buffer_mut(&mut out, 0).arg(&mul).arg(&add);
        // SAFETY: affine_*(numel, num_dims, info, src, out, mul, add); the plan keeps reads inside src, and out has
        // numel elements.
        unsafe { launch.run(operand.config(device, size_of::<T>())) }?;
        Ok(out)
    }
}

/// `mul * src + add`.
pub(crate) fn affine(
    device: &RocmDevice,
    src: &RocmStorageSlice,
    layout: &Layout,
    mul: f64,
    add: f64,
) -> Result<RocmStorageSlice, RocmError> {
    Affine { mul, add }.map(device, src, layout)
}
