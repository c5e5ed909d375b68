//! From one dtype to another; launches `cast.hip`.

use candle_core::{DType, Layout};
use rocm_kernels::CAST;

use super::operands::Operands;
use crate::common::map::Map1Any;
use crate::hip::Buffer;
use crate::storage_slice::each_dtype;
use crate::{RocmDType, RocmDevice, RocmError, RocmStorageSlice};

struct Cast(DType);

impl Map1Any for Cast {
    fn op(&self) -> &'static str {
        "to_dtype"
    }

    fn f<T: RocmDType>(
        &self,
        device: &RocmDevice,
        src: &Buffer<T>,
        layout: &Layout,
    ) -> Result<RocmStorageSlice, RocmError> {
        each_dtype!(self.0, U => Ok(U::wrap(launch::<T, U>(device, src, layout)?)),
            else Err(RocmError::UnsupportedDType { op: self.op(), dtype: self.0 }))
    }
}

fn launch<T: RocmDType, U: RocmDType>(
    device: &RocmDevice,
    src: &Buffer<T>,
    layout: &Layout,
) -> Result<Buffer<U>, RocmError> {
    let operand = Operands::new("to_dtype", [(src, layout)])?.untransposed(device)?;
    let mut out = device.alloc::<U>(operand.numel())?;
    if out.is_empty() {
        return Ok(out);
    }
    let name = format_args!("cast_{}_{}", T::KERNEL_DTYPE, U::KERNEL_DTYPE);
    let mut launch = operand.launch(device, &CAST, name, |_| {});
    launch.buffer_mut(&mut out, 0);
    // SAFETY: cast_*_*(numel, num_dims, info, src, out); the plan keeps reads inside src, and out has numel elements.
    unsafe { launch.run(operand.config(device, size_of::<T>().max(size_of::<U>()))) }?;
    Ok(out)
}

/// `src as dtype`: floats to integers saturate, NaN becomes 0.
pub(crate) fn cast(
    device: &RocmDevice,
    src: &RocmStorageSlice,
    layout: &Layout,
    dtype: DType,
) -> Result<RocmStorageSlice, RocmError> {
    Cast(dtype).map(device, src, layout)
}
