//! Arithmetic of a large transposed operand, while its elements change places; launches `transposed.hip`.

use candle_core::{DType, Layout};
use rocm_kernels::TRANSPOSED;

use super::transpose::Transpose;
use crate::common::plan::Plan;
use crate::count::elem_count;
use crate::hip::Buffer;
use crate::{RocmDType, RocmDevice, RocmError};

/// The types that have these kernels.
fn is_computed<T: RocmDType>() -> bool {
    matches!(T::DTYPE, DType::F16 | DType::BF16 | DType::F32)
}

/// `src * mul + add`; `None` if another way is better.
pub(crate) fn affine<T: RocmDType>(
    device: &RocmDevice,
    op: &'static str,
    (src, layout): (&Buffer<T>, &Layout),
    mul: T,
    add: T,
) -> Result<Option<Buffer<T>>, RocmError> {
    if !is_computed::<T>() {
        return Ok(None);
    }
    let Some(transpose) = Transpose::of_large(op, src, layout)? else { return Ok(None) };
    let mut out = device.alloc::<T>(elem_count(op, layout.dims())?)?;
    let mut launch =
        transpose.launch(device, &TRANSPOSED, format_args!("transposed_affine_{}", T::KERNEL_DTYPE));
    launch.buffer(src, layout.start_offset()).buffer_mut(&mut out, 0).arg(&mul).arg(&add);
    // SAFETY: transposed_affine_*(.., src, dst, mul, add) behind the parameters of transpose_*; of_large keeps reads inside
    // src, and out has as many elements.
    unsafe { launch.run(transpose.config()) }?;
    Ok(Some(out))
}

/// `lhs op rhs`, of which one is transposed and the other contiguous; `None` if another way is better.
pub(crate) fn binary<T: RocmDType>(
    device: &RocmDevice,
    op: &'static str,
    kernel: &'static str,
    lhs: (&Buffer<T>, &Layout),
    rhs: (&Buffer<T>, &Layout),
) -> Result<Option<Buffer<T>>, RocmError> {
    let (swapped, (src, layout), (other, other_l)) = match (lhs.1.is_contiguous(), rhs.1.is_contiguous()) {
        (false, true) => (0u32, lhs, rhs),
        (true, false) => (1u32, rhs, lhs),
        _ => return Ok(None),
    };
    if !is_computed::<T>() || !matches!(kernel, "badd" | "bsub" | "bmul" | "bdiv") {
        return Ok(None);
    }
    let Some(transpose) = Transpose::of_large(op, src, layout)? else { return Ok(None) };
    let plan = Plan::new(op, [(layout, src.len()), (other_l, other.len())])?;
    let mut out = device.alloc::<T>(plan.numel)?;
    let name = format_args!("transposed_{kernel}_{}", T::KERNEL_DTYPE);
    let mut launch = transpose.launch(device, &TRANSPOSED, name);
    launch.buffer(src, layout.start_offset()).buffer_mut(&mut out, 0);
    launch.buffer(other, other_l.start_offset()).arg(&swapped);
    // SAFETY: transposed_b*_*(.., src, dst, other, swapped) behind the parameters of transpose_*; the plan keeps reads
    // inside src and other, which is laid out as out, and out has as many elements.
    unsafe { launch.run(transpose.config()) }?;
    Ok(Some(out))
}
