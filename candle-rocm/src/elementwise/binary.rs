//! Arithmetic and comparisons of two tensors of equal shape and dtype; launches `binary.hip`, and `gradients.hip`
//! for the gradient of the logistic function.

use std::marker::PhantomData;

use candle_core::Layout;
use candle_core::op::{BinaryOpT, CmpOp};
use rocm_kernels::{BINARY, GRADIENTS, Module};

use crate::common::launch::{elementwise, strided};
use crate::common::map::{Map2, Map2Any};
use crate::common::plan::Plan;
use crate::hip::Buffer;
use crate::layout::copy::untransposed;
use crate::layout::transposed;
use crate::{RocmDType, RocmDevice, RocmError, RocmStorageSlice};

type Operand<'a> = (&'a RocmStorageSlice, &'a Layout);

struct Binary<B>(PhantomData<B>);

impl<B: BinaryOpT> Map2 for Binary<B> {
    fn op(&self) -> &'static str {
        B::NAME
    }

    fn f<T: RocmDType>(
        &self,
        device: &RocmDevice,
        lhs: (&Buffer<T>, &Layout),
        rhs: (&Buffer<T>, &Layout),
    ) -> Result<Buffer<T>, RocmError> {
        match transposed::binary(device, B::NAME, B::KERNEL, lhs, rhs)? {
            Some(out) => Ok(out),
            None => launch(device, &BINARY, B::NAME, B::KERNEL, lhs, rhs),
        }
    }
}

struct Compare(CmpOp);

impl Map2Any for Compare {
    fn op(&self) -> &'static str {
        match self.0 {
            CmpOp::Eq => "eq",
            CmpOp::Ne => "ne",
            CmpOp::Le => "le",
            CmpOp::Ge => "ge",
            CmpOp::Lt => "lt",
            CmpOp::Gt => "gt",
        }
    }

    fn f<T: RocmDType>(
        &self,
        device: &RocmDevice,
        lhs: (&Buffer<T>, &Layout),
        rhs: (&Buffer<T>, &Layout),
    ) -> Result<RocmStorageSlice, RocmError> {
        Ok(RocmStorageSlice::U8(launch(device, &BINARY, self.op(), self.op(), lhs, rhs)?))
    }
}

fn launch<T: RocmDType, O: RocmDType>(
    device: &RocmDevice,
    module: &'static Module,
    op: &'static str,
    kernel: &'static str,
    (lhs, lhs_l): (&Buffer<T>, &Layout),
    (rhs, rhs_l): (&Buffer<T>, &Layout),
) -> Result<Buffer<O>, RocmError> {
    let copied = [untransposed(device, op, lhs, lhs_l)?, untransposed(device, op, rhs, rhs_l)?];
    let (lhs, lhs_l) = copied[0].as_ref().map_or((lhs, lhs_l), |(lhs, layout)| (lhs, layout));
    let (rhs, rhs_l) = copied[1].as_ref().map_or((rhs, rhs_l), |(rhs, layout)| (rhs, layout));
    let plan = Plan::new(op, [(lhs_l, lhs.len()), (rhs_l, rhs.len())])?;
    let mut out = device.alloc::<O>(plan.numel)?;
    if plan.numel == 0 {
        return Ok(out);
    }
    let mut launch = strided(device, module, format_args!("{kernel}_{}", T::KERNEL_DTYPE), &plan);
    launch.buffer(lhs, lhs_l.start_offset()).buffer(rhs, rhs_l.start_offset()).buffer_mut(&mut out, 0);
    // SAFETY: op(numel, num_dims, info, lhs, rhs, out); the plan keeps reads inside lhs and rhs, and out has numel
    // elements.
    unsafe { launch.run(elementwise(device, &plan, size_of::<T>())) }?;
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
        launch(device, &GRADIENTS, self.op(), self.op(), y, dy)
    }
}

/// `dy * y * (1 - y)`.
pub(crate) fn sigmoid_backward(
    device: &RocmDevice,
    y: Operand<'_>,
    dy: Operand<'_>,
) -> Result<RocmStorageSlice, RocmError> {
    SigmoidBackward.map(device, y, dy)
}

/// `lhs op rhs`.
pub(crate) fn binary<B: BinaryOpT>(
    device: &RocmDevice,
    lhs: Operand<'_>,
    rhs: Operand<'_>,
) -> Result<RocmStorageSlice, RocmError> {
    Binary::<B>(PhantomData).map(device, lhs, rhs)
}

/// 1 where `lhs op rhs` holds, else 0, as u8.
pub(crate) fn compare(
    device: &RocmDevice,
    op: CmpOp,
    lhs: Operand<'_>,
    rhs: Operand<'_>,
) -> Result<RocmStorageSlice, RocmError> {
    Compare(op).map(device, lhs, rhs)
}
