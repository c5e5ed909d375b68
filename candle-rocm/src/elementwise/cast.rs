//! From one dtype to another; launches `cast.hip`.

use candle_core::{DType, Layout};
use rocm_kernels::CAST;

use super::operands::Operands;
use crate::common::map::Map1Any;
use crate::common::operand::Operand;
use crate::common::operation::{Described, One, Op};
use crate::hip::Buffer;
use crate::storage_slice::{each_dtype, has_elements};
use crate::{RocmDType, RocmDevice, RocmError, RocmStorageSlice};

const OP: &str = "to_dtype";

/// To that dtype.
#[derive(Clone, Copy)]
pub(crate) struct Cast(pub(crate) DType);

impl Op for Cast {
    type Operands<T> = One<T>;

    fn name(&self) -> &'static str {
        OP
    }

    fn key(&self, words: &mut Vec<u64>) {
        words.push(self.0 as u64);
    }

    fn result(&self, _: &RocmDevice, One { x }: One<Described<'_>>) -> Option<(usize, DType)> {
        has_elements(self.0).then_some((x.len, self.0))
    }

    fn run(
        &self,
        device: &RocmDevice,
        One { x: (x, layout) }: One<Operand<'_>>,
    ) -> candle_core::Result<RocmStorageSlice> {
        Ok(self.map(device, x.slice()?, layout)?)
    }
}

impl Map1Any for Cast {
    fn op(&self) -> &'static str {
        OP
    }

    fn f<T: RocmDType>(
        &self,
        device: &RocmDevice,
        src: &Buffer<T>,
        layout: &Layout,
    ) -> Result<RocmStorageSlice, RocmError> {
        each_dtype!(self.0, U => {
            let operand = Operands::new(OP, [(src, layout)])?;
            let mut out = device.alloc::<U>(operand.numel())?;
            launch(device, operand, &mut out, 0)?;
            Ok(U::wrap(out))
        }, else Err(RocmError::UnsupportedDType { op: OP, dtype: self.0 }))
    }
}

fn launch<T: RocmDType, U: RocmDType>(
    device: &RocmDevice,
    operand: Operands<'_, T, 1>,
    out: &mut Buffer<U>,
    offset: usize,
) -> Result<(), RocmError> {
    if operand.numel() == 0 {
        return Ok(());
    }
    let operand = operand.untransposed(device)?;
    let name = format_args!("cast_{}_{}", T::KERNEL_DTYPE, U::KERNEL_DTYPE);
    let mut launch = operand.launch(device, &CAST, name, |_| {});
    launch.buffer_mut(out, offset);
    // SAFETY: cast_*_*(numel, num_dims, info, src, out); the plan keeps reads inside src, and out has numel elements from the offset on.
    unsafe { launch.run(operand.config(device, size_of::<T>().max(size_of::<U>()))) }
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

/// Writes `src` to as many elements of `dst` from an offset on, which are there.
pub(crate) fn cast_into<T: RocmDType>(
    device: &RocmDevice,
    src: &Buffer<T>,
    dst: &mut RocmStorageSlice,
    offset: usize,
) -> Result<(), RocmError> {
    let dtype = dst.dtype();
    let unsupported = || RocmError::UnsupportedDType { op: OP, dtype };
    each_dtype!(dtype, U => {
        let out = U::buffer_mut(dst).ok_or_else(unsupported)?;
        launch(device, Operands::new(OP, [(src, &Layout::contiguous(src.len()))])?, out, offset)
    }, else Err(unsupported()))
}
