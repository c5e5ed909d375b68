//! Products of f8_e4m3 on matrix cores, as bf16, which holds each of its numbers.
//!
//! Instructions for 8-bit floats are left alone: those of gfx942 multiply another format of that size, whose NaN and scale differ.

use candle_core::{DType, Layout};
use half::bf16;

use super::{GemmShape, MATMUL, MatMul, on_matrix_cores};
use crate::common::map::same;
use crate::common::plan::check_bounds;
use crate::count::elem_count;
use crate::elementwise::cast::cast;
use crate::{RocmDType, RocmDevice, RocmError, RocmStorageSlice};

/// Fewer rows or columns are not worth the copies.
const LEAST: usize = 16;

/// The product, if it is one of f8_e4m3 that takes less time on matrix cores. It is summed in f32 and rounded once.
pub(super) fn product(
    matmul: &MatMul,
    device: &RocmDevice,
    lhs: (&RocmStorageSlice, &Layout),
    rhs: (&RocmStorageSlice, &Layout),
) -> Result<Option<RocmStorageSlice>, RocmError> {
    let GemmShape { m, n, k, .. } = matmul.shape;
    let is_f8 = [lhs.0, rhs.0].iter().all(|slice| slice.dtype() == DType::F8E4M3);
    if !is_f8 || m < LEAST || n < LEAST || k == 0 || !on_matrix_cores(device, DType::BF16) {
        return Ok(None);
    }
    check_bounds(MATMUL, lhs.1, lhs.0.len())?;
    check_bounds(MATMUL, rhs.1, rhs.0.len())?;
    let (a, a_l) = widened(device, lhs)?;
    let (b, b_l) = widened(device, rhs)?;
    let (a, b) = (same::<bf16>(MATMUL, &a)?, same::<bf16>(MATMUL, &b)?);
    let sums = f32::wrap(matmul.multiply::<bf16, f32>(device, (a, &a_l), (b, &b_l))?);
    let layout = Layout::contiguous(sums.len());
    cast(device, &sums, &layout, DType::F8E4M3).map(Some)
}

/// The operand in bf16. What repeats elements still does.
fn widened(
    device: &RocmDevice,
    (slice, layout): (&RocmStorageSlice, &Layout),
) -> Result<(RocmStorageSlice, Layout), RocmError> {
    let elements = elem_count(MATMUL, layout.dims())?;
    // Strides of nothing are not checked: they may be any numbers.
    let last = |(dim, stride): (&usize, &usize)| (dim - 1) * stride;
    let span = (elements > 0).then(|| layout.dims().iter().zip(layout.stride()).map(last).sum::<usize>() + 1);
    let Some(span) = span.filter(|&span| span <= elements) else {
        let copy = cast(device, slice, layout, DType::BF16)?;
        return Ok((copy, Layout::contiguous(layout.shape())));
    };
    let copy =
        cast(device, slice, &Layout::contiguous_with_offset(span, layout.start_offset()), DType::BF16)?;
    Ok((copy, Layout::new(layout.shape().clone(), layout.stride().to_vec(), 0)))
}
