//! `mul * x + add`, for every dtype; launches `affine.hip`.

use candle_core::Layout;
use rocm_kernels::AFFINE;

use crate::common::launch::{elementwise, strided};
use crate::common::map::Map1;
use crate::common::plan::Plan;
use crate::hip::Buffer;
use crate::layout::copy::untransposed;
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
        if let Some(out) = transposed::affine(device, self.op(), (src, layout), mul, add)? {
            return Ok(out);
        }
        let copied = untransposed(device, self.op(), src, layout)?;
        let (src, layout) = copied.as_ref().map_or((src, layout), |(src, layout)| (src, layout));
        let plan = Plan::new(self.op(), [(layout, src.len())])?;
        let mut out = device.alloc::<T>(plan.numel)?;
        if plan.numel == 0 {
            return Ok(out);
        }
        let mut launch = strided(device, &AFFINE, format_args!("affine_{}", T::KERNEL_DTYPE), &plan);
        launch.buffer(src, layout.start_offset()).buffer_mut(&mut out, 0).arg(&mul).arg(&add);
        // SAFETY: affine_*(numel, num_dims, info, src, out, mul, add); the plan keeps reads inside src, and out has
        // numel elements.
        unsafe { launch.run(elementwise(device, &plan, size_of::<T>())) }?;
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
