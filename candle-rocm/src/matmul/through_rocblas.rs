//! Products that rocBLAS computes: operands as it takes them.

use candle_core::Layout;

use super::rocblas::{Blas, BlasMatrix, BlasProduct};
use super::{GemmShape, MATMUL, Matrix, strides};
use crate::count::elem_count;
use crate::hip::Buffer;
use crate::layout::copy::copy_strided;
use crate::{RocmDType, RocmDevice, RocmError};

/// `Ok(false)`: too large for rocBLAS, which counts in 32 bits.
pub(super) fn through_rocblas<T: RocmDType, C: RocmDType>(
    device: &RocmDevice,
    shape: GemmShape,
    (a, at_a): (&Buffer<T>, Matrix),
    (b, at_b): (&Buffer<T>, Matrix),
    (c, at_c): (&mut Buffer<C>, Matrix),
) -> Result<bool, RocmError> {
    // BLAS stores in columns: a result in rows is its transpose, B' A'.
    let in_columns = strides::blas(at_c, shape.m, shape.n).is_some_and(|form| !form.transposed);
    if !in_columns {
        if at_c.col != 1 && shape.n > 1 {
            return Ok(false);
        }
        let shape = GemmShape { m: shape.n, n: shape.m, ..shape };
        let (a, b) = ((b, at_b.transposed()), (a, at_a.transposed()));
        return in_columns_through_rocblas(device, shape, a, b, (c, at_c.transposed()));
    }
    in_columns_through_rocblas(device, shape, (a, at_a), (b, at_b), (c, at_c))
}

fn in_columns_through_rocblas<T: RocmDType, C: RocmDType>(
    device: &RocmDevice,
    shape: GemmShape,
    (a, at_a): (&Buffer<T>, Matrix),
    (b, at_b): (&Buffer<T>, Matrix),
    (c, at_c): (&mut Buffer<C>, Matrix),
) -> Result<bool, RocmError> {
    let GemmShape { batch, m, n, k } = shape;
    let Some(form_c) = strides::blas(at_c, m, n).filter(|form| !form.transposed) else { return Ok(false) };
    let int = |n: usize| i32::try_from(n).ok();
    let (Some(m32), Some(n32), Some(k32), Some(batch32)) = (int(m), int(n), int(k), int(batch)) else {
        return Ok(false);
    };
    let (copy_a, copy_b);
    let (a, at_a, form_a) = match strides::blas(at_a, m, k) {
        Some(form) => (a, at_a, form),
        None => {
            let (buffer, at, form) = compact(device, a, at_a, [batch, m, k])?;
            copy_a = buffer;
            (&copy_a, at, form)
        }
    };
    let (b, at_b, form_b) = match strides::blas(at_b, k, n) {
        Some(form) => (b, at_b, form),
        None => {
            let (buffer, at, form) = compact(device, b, at_b, [batch, k, n])?;
            copy_b = buffer;
            (&copy_b, at, form)
        }
    };
    let (Some(a), Some(b), Some(c)) =
        (blas_matrix(a, at_a, form_a), blas_matrix(b, at_b, form_b), blas_matrix(c, at_c, form_c))
    else {
        return Ok(false);
    };
    let product = BlasProduct { m: m32, n: n32, k: k32, batch: batch32, a, b, c };
    Blas::of(device).gemm(device, [T::DTYPE, C::DTYPE], &product)?;
    Ok(true)
}

fn blas_matrix<T: RocmDType>(buffer: &Buffer<T>, at: Matrix, form: strides::BlasForm) -> Option<BlasMatrix> {
    Some(BlasMatrix {
        address: buffer.as_ptr().byte_add(at.offset * size_of::<T>()),
        transposed: form.transposed,
        ld: i32::try_from(form.ld).ok()?,
        batch: i64::try_from(at.batch).ok()?,
    })
}

/// A copy in rows; of one matrix, where all of the batch are the same.
fn compact<T: RocmDType>(
    device: &RocmDevice,
    src: &Buffer<T>,
    at: Matrix,
    [batch, rows, cols]: [usize; 3],
) -> Result<(Buffer<T>, Matrix, strides::BlasForm), RocmError> {
    let copies = if at.batch == 0 { 1 } else { batch };
    let from = Layout::new((copies, rows, cols).into(), vec![at.batch, at.row, at.col], at.offset);
    let mut copy = device.alloc::<T>(elem_count(MATMUL, &[copies, rows, cols])?)?;
    copy_strided(device, (src, &from), &mut copy, 0)?;
    let mut matrix = Matrix::row_major(0, rows, cols);
    if at.batch == 0 {
        matrix.batch = 0;
    }
    Ok((copy, matrix, strides::BlasForm { transposed: true, ld: cols }))
}
