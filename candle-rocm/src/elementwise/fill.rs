//! Setting elements to one value; launches `fill.hip`.

use candle_core::Layout;
use candle_core::scalar::Scalar;
use rocm_kernels::FILL;

use crate::common::launch::{elementwise, strided};
use crate::common::observe::bytes;
use crate::common::operation::{Nothing, Write};
use crate::common::plan::Plan;
use crate::storage_slice::each_dtype;
use crate::{RocmDType, RocmDevice, RocmError, RocmStorage, RocmStorageSlice};

const OP: &str = "const_set";

/// Sets the elements of a layout to one value.
#[derive(Clone, Copy)]
pub(crate) struct ConstSet<'a> {
    pub(crate) value: Scalar,
    pub(crate) layout: &'a Layout,
}

impl Write for ConstSet<'_> {
    type Operands<T> = Nothing;

    fn name(&self) -> &'static str {
        OP
    }

    fn written(&self, dst: &RocmStorage, Nothing: &Nothing) -> usize {
        bytes(&(dst, self.layout))
    }

    fn run(&self, device: &RocmDevice, dst: &mut RocmStorage, Nothing: Nothing) -> candle_core::Result<()> {
        Ok(const_set(device, dst.slice_mut()?, self.value, self.layout)?)
    }
}

/// Writes `value` to every element that `layout` reaches in `dst`.
pub(crate) fn const_set(
    device: &RocmDevice,
    dst: &mut RocmStorageSlice,
    value: Scalar,
    layout: &Layout,
) -> Result<(), RocmError> {
    let dtype = dst.dtype();
    each_dtype!(dtype, T => {
        match (T::buffer_mut(dst), T::from_scalar(value)) {
            (Some(dst), Some(value)) => {
                let plan = Plan::for_fill(OP, layout, dst.len())?;
                if plan.numel == 0 {
                    return Ok(());
                }
                let name = format_args!("const_set_{}", T::KERNEL_DTYPE);
                let mut launch = strided(device, &FILL, name, &plan);
                launch.arg(&value).buffer_mut(dst, layout.start_offset());
                // SAFETY: const_set_*(numel, num_dims, info, value, out); the plan keeps writes inside dst.
                unsafe { launch.run(elementwise(device, &plan, size_of::<T>())) }
            }
            _ => Err(RocmError::DTypeMismatch { op: OP, lhs: dtype, rhs: value.dtype() }),
        }
    }, else Err(RocmError::UnsupportedDType { op: OP, dtype }))
}
