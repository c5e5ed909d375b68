//! Arithmetic on a large transposed operand, in the tiles that transpose it; launches `transposed.hip`.

use rocm_kernels::TRANSPOSED;

use super::candidates::{Task, serve};
use super::transpose::{THREADS, config, launch};
use crate::common::access::Transposition;
use crate::dtype::DTypeExt;
use crate::hip::Buffer;
use crate::{RocmDType, RocmDevice, RocmError};

/// A buffer, and the element that an operand begins with.
type At<'a, T> = (&'a Buffer<T>, usize);

/// Whether the type has these kernels.
fn is_computed<T: RocmDType>() -> bool {
    T::DTYPE.is_16_or_32_bit_float()
}

/// Whether there is a kernel for `src * mul + add`.
pub(crate) fn has_affine<T: RocmDType>() -> bool {
    is_computed::<T>()
}

/// Whether there is a kernel for `lhs op rhs`.
pub(crate) fn has_binary<T: RocmDType>(kernel: &str) -> bool {
    is_computed::<T>() && matches!(kernel, "badd" | "bsub" | "bmul" | "bdiv")
}

/// `src * mul + add` into `out`.
///
/// # Safety
/// The plan that the transposition was made of keeps reads inside `src`, and `out` has as many elements.
pub(crate) unsafe fn affine<T: RocmDType>(
    device: &RocmDevice,
    transposition: &Transposition,
    (src, offset): At<'_, T>,
    (mul, add): (T, T),
    out: &mut Buffer<T>,
) -> Result<(), RocmError> {
    serve(device, Task::Affine, transposition, size_of::<T>(), |threads| {
        let name = format_args!("transposed_affine_{}", T::KERNEL_DTYPE);
        let mut launch = launch(device, &TRANSPOSED, name, transposition);
        launch.buffer(src, offset).buffer_mut(out, 0).arg(&mul).arg(&add);
        // SAFETY: transposed_affine_*(.., src, dst, mul, add) behind the parameters of transpose_*; the caller vouches for both.
        unsafe { launch.run(config(transposition, threads.unwrap_or(THREADS))) }
    })
}

/// `src op other` into `out`, or `other op src` if they are `swapped`.
///
/// # Safety
/// As of [`affine`], and `other` has as many elements from its first on.
pub(crate) unsafe fn binary<T: RocmDType>(
    device: &RocmDevice,
    kernel: &'static str,
    transposition: &Transposition,
    (src, offset): At<'_, T>,
    (other, other_offset): At<'_, T>,
    swapped: bool,
    out: &mut Buffer<T>,
) -> Result<(), RocmError> {
    serve(device, Task::Binary, transposition, size_of::<T>(), |threads| {
        let name = format_args!("transposed_{kernel}_{}", T::KERNEL_DTYPE);
        let mut launch = launch(device, &TRANSPOSED, name, transposition);
        launch.buffer(src, offset).buffer_mut(out, 0).buffer(other, other_offset).arg(&u32::from(swapped));
        // SAFETY: transposed_b*_*(.., src, dst, other, swapped) behind the parameters of transpose_*; the caller vouches for all.
        unsafe { launch.run(config(transposition, threads.unwrap_or(THREADS))) }
    })
}
