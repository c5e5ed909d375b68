//! Choosing between two tensors by a third; launches `ternary.hip`.

use candle_core::{DType, Layout};
use rocm_kernels::TERNARY;

use super::unary::other_f8_name;
use crate::common::launch::{elementwise, strided};
use crate::common::map::Map2;
use crate::common::operand::{Operand, SliceOperand, invalid, slice};
use crate::common::operation::{Described, Op, operands};
use crate::common::plan::Plan;
use crate::hip::Buffer;
use crate::storage_slice::has_elements;
use crate::{RocmDType, RocmDevice, RocmError, RocmStorageSlice};

const OP: &str = "where_cond";

operands! {
    /// A condition, and what is chosen from.
    Choice { condition, on_true, on_false }
}

/// One of two tensors' elements where an integer is not 0, the other's elsewhere.
#[derive(Clone, Copy)]
pub(crate) struct WhereCond;

impl Op for WhereCond {
    type Operands<T> = Choice<T>;

    fn name(&self) -> &'static str {
        OP
    }

    fn key(&self, _: &mut Vec<u64>) {}

    fn result(&self, _: &RocmDevice, operands: Choice<Described<'_>>) -> Option<(usize, DType)> {
        let Choice { condition, on_true, on_false } = operands;
        let fits = !condition.dtype.is_float()
            && has_elements(on_true.dtype)
            && on_true.has_shape_of(&condition)
            && on_false.is_like(&on_true);
        fits.then_some((condition.len, on_true.dtype))
    }

    fn run(
        &self,
        device: &RocmDevice,
        operands: Choice<Operand<'_>>,
    ) -> candle_core::Result<RocmStorageSlice> {
        let Choice { condition, on_true, on_false } = operands;
        Ok(where_cond(device, slice(condition)?, slice(on_true)?, slice(on_false)?)?)
    }
}

struct Where<'a, C>(&'a Buffer<C>, &'a Layout);

impl<C: RocmDType> Map2 for Where<'_, C> {
    fn op(&self) -> &'static str {
        OP
    }

    fn f<T: RocmDType>(
        &self,
        device: &RocmDevice,
        (t, t_l): (&Buffer<T>, &Layout),
        (f, f_l): (&Buffer<T>, &Layout),
    ) -> Result<Buffer<T>, RocmError> {
        let Self(cond, cond_l) = self;
        let plan = Plan::new(self.op(), [(cond_l, cond.len()), (t_l, t.len()), (f_l, f.len())])?;
        let mut out = device.alloc::<T>(plan.numel)?;
        if plan.numel == 0 {
            return Ok(out);
        }
        let name = format_args!("where_{}_{}", C::KERNEL_DTYPE, other_f8_name::<T>());
        let mut launch = strided(device, &TERNARY, name, &plan);
        launch
            .buffer(cond, cond_l.start_offset())
            .buffer(t, t_l.start_offset())
            .buffer(f, f_l.start_offset())
            .buffer_mut(&mut out, 0);
        // SAFETY: where_*_*(numel, num_dims, info, cond, t, f, out); the plan keeps reads inside cond, t and f, and out
        // has numel elements.
        unsafe { launch.run(elementwise(device, &plan, size_of::<T>().max(size_of::<C>()))) }?;
        Ok(out)
    }
}

/// `t` where the integer `cond` is not 0, else `f`.
fn where_cond(
    device: &RocmDevice,
    (cond, cond_l): SliceOperand<'_>,
    t: SliceOperand<'_>,
    f: SliceOperand<'_>,
) -> Result<RocmStorageSlice, RocmError> {
    use RocmStorageSlice as S;
    match cond {
        S::U8(cond) => Where(cond, cond_l).map(device, t, f),
        S::U32(cond) => Where(cond, cond_l).map(device, t, f),
        S::I16(cond) => Where(cond, cond_l).map(device, t, f),
        S::I32(cond) => Where(cond, cond_l).map(device, t, f),
        S::I64(cond) => Where(cond, cond_l).map(device, t, f),
        _ => invalid(OP, format!("expected a condition of integers, got {}", cond.dtype().as_str())),
    }
}
