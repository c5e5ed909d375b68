//! From one dtype to another; launches `cast.hip`.

use candle_core::{DType, Layout};
use rocm_kernels::CAST;

use crate::common::launch::{elementwise, strided};
use crate::common::map::Map1Any;
use crate::common::plan::Plan;
use crate::hip::Buffer;
use crate::layout::copy::untransposed;
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
    let copied = untransposed(device, "to_dtype", src, layout)?;
    let (src, layout) = copied.as_ref().map_or((src, layout), |(src, layout)| (src, layout));
    let plan = Plan::new("to_dtype", [(layout, src.len())])?;
    let mut out = device.alloc::<U>(plan.numel)?;
    if plan.numel == 0 {
        return Ok(out);
    }
    let name = format_args!("cast_{}_{}", T::KERNEL_DTYPE, U::KERNEL_DTYPE);
    let mut launch = strided(device, &CAST, name, &plan);
    launch.buffer(src, layout.start_offset()).buffer_mut(&mut out, 0);
    // SAFETY: cast_*_*(numel, num_dims, info, src, out); the plan keeps reads inside src, and out has numel elements.
    unsafe { launch.run(elementwise(device, &plan, size_of::<T>().max(size_of::<U>()))) }?;
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
