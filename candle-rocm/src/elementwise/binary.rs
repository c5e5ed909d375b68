//! Arithmetic and comparisons of two tensors of equal shape and dtype; launches `binary.hip`, and `gradients.hip`
//! for the gradient of the logistic function.

use candle_core::op::CmpOp;
use candle_core::{DType, Layout};
use rocm_kernels::{BINARY, GRADIENTS, Module};

use super::operands::{OneTransposed, Operands};
use crate::common::map::{Map2, Map2Any};
use crate::common::operand::{Operand, SliceOperand, slice};
use crate::common::operation::{Described, Op, Two, text};
use crate::hip::Buffer;
use crate::layout::transposed;
use crate::{RocmDType, RocmDevice, RocmError, RocmStorageSlice};

/// candle's operation of that name, by the name of its kernels.
#[derive(Clone, Copy)]
pub(crate) struct Binary {
    pub(crate) op: &'static str,
    pub(crate) kernel: &'static str,
}

impl Op for Binary {
    type Operands<T> = Two<T>;

    fn name(&self) -> &'static str {
        self.op
    }

    fn key(&self, words: &mut Vec<u64>) {
        words.extend(text(self.kernel));
    }

    fn result(&self, _: &RocmDevice, Two { lhs, rhs }: Two<Described<'_>>) -> Option<(usize, DType)> {
        rhs.is_like(&lhs).then_some((lhs.len, lhs.dtype))
    }

    fn run(
        &self,
        device: &RocmDevice,
        Two { lhs, rhs }: Two<Operand<'_>>,
    ) -> candle_core::Result<RocmStorageSlice> {
        Ok(self.map(device, slice(lhs)?, slice(rhs)?)?)
    }
}

impl Map2 for Binary {
    fn op(&self) -> &'static str {
        self.op
    }

    fn f<T: RocmDType>(
        &self,
        device: &RocmDevice,
        lhs: (&Buffer<T>, &Layout),
        rhs: (&Buffer<T>, &Layout),
    ) -> Result<Buffer<T>, RocmError> {
        let operands = Operands::new(self.op, [lhs, rhs])?;
        if let Some(found) = operands.one_transposed()
            && transposed::has_binary::<T>(self.kernel)
        {
            let OneTransposed { transposition, transposed, contiguous, swapped } = found;
            let mut out = device.alloc::<T>(operands.numel())?;
            // SAFETY: the operands' plan was made for both, and out has its elements.
            unsafe {
                transposed::binary(
                    device,
                    self.kernel,
                    transposition,
                    transposed,
                    contiguous,
                    swapped,
                    &mut out,
                )
            }?;
            return Ok(out);
        }
        launch(device, &BINARY, self.kernel, operands)
    }
}

/// 1 where the comparison holds, else 0, as u8.
#[derive(Clone, Copy)]
pub(crate) struct Compare(pub(crate) CmpOp);

impl Op for Compare {
    type Operands<T> = Two<T>;

    fn name(&self) -> &'static str {
        "cmp"
    }

    fn key(&self, words: &mut Vec<u64>) {
        words.push(self.0 as u64);
    }

    fn result(&self, _: &RocmDevice, Two { lhs, rhs }: Two<Described<'_>>) -> Option<(usize, DType)> {
        rhs.is_like(&lhs).then_some((lhs.len, DType::U8))
    }

    fn run(
        &self,
        device: &RocmDevice,
        Two { lhs, rhs }: Two<Operand<'_>>,
    ) -> candle_core::Result<RocmStorageSlice> {
        Ok(self.map(device, slice(lhs)?, slice(rhs)?)?)
    }
}

/// The kernels' name of a comparison.
pub(crate) fn comparison(op: CmpOp) -> &'static str {
    match op {
        CmpOp::Eq => "eq",
        CmpOp::Ne => "ne",
        CmpOp::Le => "le",
        CmpOp::Ge => "ge",
        CmpOp::Lt => "lt",
        CmpOp::Gt => "gt",
    }
}

impl Map2Any for Compare {
    fn op(&self) -> &'static str {
        self.name()
    }

    fn f<T: RocmDType>(
        &self,
        device: &RocmDevice,
        lhs: (&Buffer<T>, &Layout),
        rhs: (&Buffer<T>, &Layout),
    ) -> Result<RocmStorageSlice, RocmError> {
        let operands = Operands::new(self.op(), [lhs, rhs])?;
        Ok(RocmStorageSlice::U8(launch(device, &BINARY, comparison(self.0), operands)?))
    }
}

fn launch<T: RocmDType, O: RocmDType>(
    device: &RocmDevice,
    module: &'static Module,
    kernel: &'static str,
    operands: Operands<'_, T, 2>,
) -> Result<Buffer<O>, RocmError> {
    let operands = operands.untransposed(device)?;
    let mut out = device.alloc::<O>(operands.numel())?;
    if out.is_empty() {
        return Ok(out);
    }
    let mut launch = operands.launch(device, module, format_args!("{kernel}_{}", T::KERNEL_DTYPE), |_| {});
    launch.buffer_mut(&mut out, 0);
    // SAFETY: op(numel, num_dims, info, lhs, rhs, out); the plan keeps reads inside lhs and rhs, and out has numel
    // elements.
    unsafe { launch.run(operands.config(device, size_of::<T>())) }?;
    Ok(out)
}

struct SigmoidBackward;

impl Map2 for SigmoidBackward {
    fn op(&self) -> &'static str {
        "sigmoid backward"
    }

    fn f<T: RocmDType>(
        &self,
        device: &RocmDevice,
        y: (&Buffer<T>, &Layout),
        dy: (&Buffer<T>, &Layout),
    ) -> Result<Buffer<T>, RocmError> {
        if !T::DTYPE.is_float() {
            return Err(RocmError::UnsupportedDType { op: self.op(), dtype: T::DTYPE });
        }
        launch(device, &GRADIENTS, "sigmoid_backward", Operands::new(self.op(), [y, dy])?)
    }
}

/// `dy * y * (1 - y)`.
pub(crate) fn sigmoid_backward(
    device: &RocmDevice,
    y: SliceOperand<'_>,
    dy: SliceOperand<'_>,
) -> Result<RocmStorageSlice, RocmError> {
    SigmoidBackward.map(device, y, dy)
}
