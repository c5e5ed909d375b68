//! `mul * x + add`, for every dtype; launches `affine.hip`.

use candle_core::{DType, Layout};
use rocm_kernels::AFFINE;

use super::operands::Operands;
use crate::common::map::Map1;
use crate::common::operand::Operand;
use crate::common::operation::{Described, One, Op};
use crate::hip::Buffer;
use crate::layout::transposed;
use crate::{RocmDType, RocmDevice, RocmError, RocmStorageSlice};

/// `mul * x + add`.
#[derive(Clone, Copy)]
pub(crate) struct Affine {
    pub(crate) mul: f64,
    pub(crate) add: f64,
}

impl Op for Affine {
    type Operands<T> = One<T>;

    fn name(&self) -> &'static str {
        "affine"
    }

    fn key(&self, words: &mut Vec<u64>) {
        words.extend([self.mul.to_bits(), self.add.to_bits()]);
    }

    fn result(&self, _: &RocmDevice, One { x }: One<Described<'_>>) -> Option<(usize, DType)> {
        Some((x.len, x.dtype))
    }

    fn run(
        &self,
        device: &RocmDevice,
        One { x: (x, layout) }: One<Operand<'_>>,
    ) -> candle_core::Result<RocmStorageSlice> {
        Ok(self.map(device, x.slice()?, layout)?)
    }
}

impl Map1 for Affine {
    fn op(&self) -> &'static str {
        self.name()
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
