//! Arithmetic and comparisons of two tensors of equal shape and dtype; launches `binary.hip`, and `gradients.hip`
//! for the gradient of the logistic function.

use candle_core::Layout;
use candle_core::op::CmpOp;
use rocm_kernels::{BINARY, GRADIENTS, Module};

use super::operands::{OneTransposed, Operands};
use crate::common::map::{Map2, Map2Any};
use crate::common::operand::SliceOperand;
use crate::hip::Buffer;
use crate::layout::transposed;
use crate::{RocmDType, RocmDevice, RocmError, RocmStorageSlice};

struct Binary {
    op: &'static str,
    kernel: &'static str,
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

struct Compare(CmpOp);

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
        comparison(self.0)
    }

    fn f<T: RocmDType>(
        &self,
        device: &RocmDevice,
        lhs: (&Buffer<T>, &Layout),
        rhs: (&Buffer<T>, &Layout),
    ) -> Result<RocmStorageSlice, RocmError> {
        let operands = Operands::new(self.op(), [lhs, rhs])?;
        Ok(RocmStorageSlice::U8(launch(device, &BINARY, self.op(), operands)?))
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
        "sigmoid_backward"
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
        launch(device, &GRADIENTS, self.op(), Operands::new(self.op(), [y, dy])?)
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

/// `lhs op rhs`, by the kernels of that name.
pub(crate) fn binary(
    device: &RocmDevice,
    op: &'static str,
    kernel: &'static str,
    lhs: SliceOperand<'_>,
    rhs: SliceOperand<'_>,
) -> Result<RocmStorageSlice, RocmError> {
    Binary { op, kernel }.map(device, lhs, rhs)
}

/// 1 where `lhs op rhs` holds, else 0, as u8.
pub(crate) fn compare(
    device: &RocmDevice,
    op: CmpOp,
    lhs: SliceOperand<'_>,
    rhs: SliceOperand<'_>,
) -> Result<RocmStorageSlice, RocmError> {
    Compare(op).map(device, lhs, rhs)
}
