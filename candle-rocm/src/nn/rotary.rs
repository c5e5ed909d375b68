//! Rotary embeddings; launches `reduce.hip`.

use candle_core::Layout;
use rocm_kernels::REDUCE;

use crate::common::launch::KernelName;
use crate::common::operand::{contiguous, floats, invalid, unsupported};
use crate::count::elem_count;
use crate::storage_slice::each_dtype;
use crate::{RocmDType, RocmError, RocmStorage};

/// Rotary embedding (Su et al. 2021) of `x` `[batch, heads, time, d]`, where elements `i` and `i + d/2` are a pair. `cos` and `sin`
/// are `[time or more, d/2]` or `[batch, time, d/2]`.
///
/// # Errors
/// [`RocmError::UnsupportedDType`] unless `x` is f16, bf16, f32 or f64; otherwise if an operand is not contiguous, does not fit the
/// shape or dtype of `x`, or lives on another device.
pub fn rope(
    x: &RocmStorage,
    layout: &Layout,
    cos: (&RocmStorage, &Layout),
    sin: (&RocmStorage, &Layout),
) -> Result<RocmStorage, RocmError> {
    rotary(Arrangement::Halves, x, layout, cos, sin)
}

/// [`rope`] with elements `2i` and `2i + 1` as a pair.
///
/// # Errors
/// [`RocmError::UnsupportedDType`] unless `x` is f16, bf16, f32 or f64; otherwise if an operand is not contiguous, does not fit the
/// shape or dtype of `x`, or lives on another device.
pub fn rope_i(
    x: &RocmStorage,
    layout: &Layout,
    cos: (&RocmStorage, &Layout),
    sin: (&RocmStorage, &Layout),
) -> Result<RocmStorage, RocmError> {
    rotary(Arrangement::Neighbours, x, layout, cos, sin)
}

/// [`rope`] of `x` `[batch, time, heads, d]`.
///
/// # Errors
/// [`RocmError::UnsupportedDType`] unless `x` is f16, bf16, f32 or f64; otherwise if an operand is not contiguous, does not fit the
/// shape or dtype of `x`, or lives on another device.
pub fn rope_thd(
    x: &RocmStorage,
    layout: &Layout,
    cos: (&RocmStorage, &Layout),
    sin: (&RocmStorage, &Layout),
) -> Result<RocmStorage, RocmError> {
    rotary(Arrangement::Thd, x, layout, cos, sin)
}

/// Where the elements of a pair are, and steps in time.
#[derive(Clone, Copy)]
pub(crate) enum Arrangement {
    /// `(batch, heads, time, d)`, half of `d` apart.
    Halves,
    /// `(batch, heads, time, d)`, neighbours.
    Neighbours,
    /// `(batch, time, heads, d)`, half of `d` apart.
    Thd,
}

fn rotary(
    arrangement: Arrangement,
    x: &RocmStorage,
    layout: &Layout,
    cos: (&RocmStorage, &Layout),
    sin: (&RocmStorage, &Layout),
) -> Result<RocmStorage, RocmError> {
    let op = match arrangement {
        Arrangement::Halves => "rope",
        Arrangement::Neighbours => "rope_i",
        Arrangement::Thd => "rope_thd",
    };
    floats(op, x)?;
    each_dtype!(x.slice.dtype(), T => rotate::<T>(op, arrangement, x, layout, cos, sin), else unsupported(op, x))
}

fn rotate<T: RocmDType>(
    op: &'static str,
    arrangement: Arrangement,
    x: &RocmStorage,
    layout: &Layout,
    cos: (&RocmStorage, &Layout),
    sin: (&RocmStorage, &Layout),
) -> Result<RocmStorage, RocmError> {
    let device = &x.device;
    device.check_same(&cos.0.device, op)?;
    device.check_same(&sin.0.device, op)?;
    let src = contiguous::<T>(op, "the input", x, layout)?;
    let cosines = contiguous::<T>(op, "cos", cos.0, cos.1)?;
    let sines = contiguous::<T>(op, "sin", sin.0, sin.1)?;
    let &[b, second, third, d] = layout.dims() else {
        return invalid(op, format!("expected an input of four dimensions, got shape {:?}", layout.dims()));
    };
    let (h, t) = if matches!(arrangement, Arrangement::Thd) { (third, second) } else { (second, third) };
    let angles = cos.1.dims();
    let fits = match *angles {
        [steps, half] => steps >= t && half * 2 == d,
        [batches, steps, half] => batches == b && steps == t && half * 2 == d,
        _ => false,
    };
    if !fits || sin.1.dims() != angles {
        let wrong = if fits { sin.1 } else { cos.1 };
        let (lhs, rhs) = (layout.dims().to_vec(), wrong.dims().to_vec());
        return Err(RocmError::ShapeMismatch { op, lhs, rhs });
    }
    let numel = elem_count(op, layout.dims())?;
    if numel > u32::MAX as usize {
        return invalid(op, format!("{numel} elements exceed the kernel's limit of {}", u32::MAX));
    }
    let mut out = device.alloc::<T>(numel)?;
    if numel > 0 {
        let name = KernelName::new(format_args!("{op}_{}", T::KERNEL_DTYPE));
        let stride_b = if angles.len() == 3 { (h * t * d) as u32 } else { 0 };
        let mut launch = device.launch(&REDUCE, name.as_str());
        launch.buffer(src, layout.start_offset());
        launch
            .buffer(cosines, cos.1.start_offset())
            .buffer(sines, sin.1.start_offset())
            .buffer_mut(&mut out, 0);
        let sizes: &[usize] = match arrangement {
            Arrangement::Neighbours => &[b * h, t * d],
            Arrangement::Halves => &[b * h, t * d, d],
            Arrangement::Thd => &[b, t, h, d],
        };
        for &size in sizes {
            launch.arg(&(size as u32));
        }
        launch.arg(&stride_b);
        // SAFETY: rope_i_*(src, cos, sin, dst, bh, td, stride_b), rope_* with d, rope_thd_*(.., b, t, h, d, stride_b):
        // src and dst have their product of elements, cos and sin d / 2 for each step, or for each step of each batch.
        unsafe { launch.run(device.grid_stride(numel / 2, size_of::<T>(), false)) }?;
    }
    Ok(RocmStorage { slice: T::wrap(out), device: device.clone() })
}

#[cfg(candle_rocm_seam)]
impl crate::common::fused::Fused for Arrangement {
    fn forward(
        &self,
        args: &[crate::common::operand::Operand<'_>],
    ) -> candle_core::Result<Option<(RocmStorage, candle_core::Shape)>> {
        use crate::common::fused::{float_operands, shaped_as};

        let Some([(x, l), cos, sin]) = float_operands(args) else { return Ok(None) };
        shaped_as(l, rotary(*self, x, l, cos, sin))
    }
}
