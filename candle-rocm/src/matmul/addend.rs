//! Products to which something is added in the same launch, where this crate's kernels compute them.

use candle_core::Layout;

use super::kernel::{Candidate, GemmKernel};
use super::kernels::{self, Addend};
use super::{GemmShape, Matrix, asks_rocblas_for, candidates, has_blas, has_rocblas, strides};
use crate::common::map::same;
use crate::common::operand::Operand;
use crate::common::plan::check_bounds;
use crate::count::elem_count;
use crate::storage_slice::each_dtype;
use crate::tuning::Served;
use crate::{RocmDType, RocmDevice, RocmError, RocmStorage};

/// The product of `[m, k]` and `[k, n]`, and a matrix or a bias, laid out as rows of n, one for each of m, or the same for all of them.
/// Each step is rounded to the dtype: bit by bit the product and the addition one by one.
///
/// `None` where rocBLAS computes the product, and where rows of what is added are not at one distance.
///
/// # Errors
/// As the operations one by one.
pub(crate) fn matmul_add(
    op: &'static str,
    shape: GemmShape,
    lhs: Operand<'_>,
    rhs: Operand<'_>,
    addend: Operand<'_>,
) -> Result<Option<[RocmStorage; 1]>, RocmError> {
    let dtype = lhs.0.dtype();
    let unsupported = || Err(RocmError::UnsupportedDType { op, dtype });
    each_dtype!(dtype, T => typed::<T>(op, shape, lhs, rhs, addend), else unsupported())
}

fn typed<T: RocmDType>(
    op: &'static str,
    shape: GemmShape,
    (lhs, lhs_l): Operand<'_>,
    (rhs, rhs_l): Operand<'_>,
    (addend, addend_l): Operand<'_>,
) -> Result<Option<[RocmStorage; 1]>, RocmError> {
    let device = &lhs.device;
    let GemmShape { batch, m, n, k } = shape;
    device.check_same(&rhs.device, op)?;
    device.check_same(&addend.device, op)?;
    let [a, b] = [lhs, rhs].map(|storage| storage.slice().and_then(|slice| same::<T>(op, slice)));
    let (a, b, d) = (a?, b?, same::<T>(op, addend.slice()?)?);
    let matrix = |layout: &Layout, dims: [usize; 2]| match (layout.dims(), layout.stride()) {
        (found, &[row, col]) if found == dims => {
            Some(Matrix { offset: layout.start_offset(), batch: 0, row, col })
        }
        _ => None,
    };
    let (Some(at_a), Some(at_b)) = (matrix(lhs_l, [m, k]), matrix(rhs_l, [k, n])) else { return Ok(None) };
    let rows = strides::as_rows(op, addend_l)?.filter(|&(rows, columns, _)| (rows, columns) == (m, n));
    let Some((.., at_d)) = rows.filter(|_| batch == 1 && m > 0 && n > 0 && k > 0) else { return Ok(None) };
    strides::check(op, device, a, at_a, [1, m, k])?;
    strides::check(op, device, b, at_b, [1, k, n])?;
    check_bounds(op, addend_l, d.len())?;
    let at_c = Matrix::row_major(0, m, n);
    let Some(plan) = own_plan::<T>(device, shape, [at_a, at_b, at_c]) else { return Ok(None) };
    let mut out = device.alloc::<T>(elem_count(op, &[m, n])?)?;
    let d = Addend { buffer: d, offset: at_d.offset, row: at_d.row, col: at_d.col };
    kernels::gemm(device, Some(plan), shape, (a, at_a), (b, at_b), (&mut out, at_c), Some(d))?;
    Ok(Some([RocmStorage::new(T::wrap(out), device.clone())]))
}

/// Which of this crate's kernels is for a product: by what was measured, else by the rule. `None` where rocBLAS is, and while that is being
/// measured.
fn own_plan<T: RocmDType>(device: &RocmDevice, shape: GemmShape, at: [Matrix; 3]) -> Option<GemmKernel> {
    let [a, b, c] = at;
    let by_rule = || GemmKernel::by_rule::<T>(device, shape, a, b, c);
    match candidates::served::<T>(device, shape, at) {
        Served::ByTurns | Served::By(Candidate::Rocblas) => None,
        Served::By(candidate) => {
            Some(GemmKernel::of::<T>(candidate, device, shape, a, b, c).unwrap_or_else(by_rule))
        }
        Served::ByRule => {
            let blas = has_blas::<T>() && has_rocblas(device) && asks_rocblas_for::<T>(device, shape, a, b);
            (!blas).then(by_rule)
        }
    }
}

/// Whether the product of dense rows with a matrix that is dense along them is for `matvec_rows_*`.
pub(super) fn is_for_matvec<T: RocmDType>(device: &RocmDevice, shape: GemmShape) -> bool {
    let GemmShape { m, n, k, .. } = shape;
    let (a, c) = (Matrix::row_major(0, m, k), Matrix::row_major(0, m, n));
    let plan = own_plan::<T>(device, shape, [a, Matrix::row_major(0, n, k).transposed(), c]);
    plan.is_some_and(|plan| plan.candidate == Candidate::MatvecRows)
}
