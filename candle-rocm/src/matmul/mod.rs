//! Matrix products: by rocBLAS where it is available, else by `gemm.hip`, `gemm_matrix.hip` and `matvec.hip`.
//!
//! Few operands need a copy: both engines take transposed and broadcast matrices. rocBLAS alone needs unit stride along one
//! dimension, and one stride for the whole batch.

pub(crate) mod addend;
pub(crate) mod candidates;
mod engine;
mod f32_results;
mod f8;
mod kernel;
mod kernels;
mod operation;
mod rocblas;
pub(crate) mod strides;
mod through_rocblas;

use std::path::PathBuf;

use candle_core::{DType, Layout};
use half::{bf16, f16};

use crate::common::map::Map2;
use crate::common::plan::check_bounds;
use crate::count::{elem_count, product};
use crate::dtype::DTypeExt;
use crate::hip::{Buffer, HipError};
use crate::layout::copy::copy_strided;
use crate::storage_slice::each_dtype;
use crate::tuning::Tuner;
use crate::{RocmDType, RocmDevice, RocmError};
pub use engine::GemmEngine;
pub(crate) use kernel::block_of;
use rocblas::Blas;
use through_rocblas::through_rocblas;

/// `batch` products of m x k and k x n matrices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct GemmShape {
    pub(crate) batch: usize,
    pub(crate) m: usize,
    pub(crate) n: usize,
    pub(crate) k: usize,
}

/// How the matrices of a batch lie in a buffer: element (r, c) of matrix i at `offset + i * batch + r * row + c * col`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Matrix {
    pub(crate) offset: usize,
    pub(crate) batch: usize,
    pub(crate) row: usize,
    pub(crate) col: usize,
}

impl Matrix {
    /// Contiguous rows in contiguous matrices.
    pub(crate) fn row_major(offset: usize, rows: usize, cols: usize) -> Self {
        Self { offset, batch: rows * cols, row: cols, col: 1 }
    }

    pub(crate) fn transposed(self) -> Self {
        Self { row: self.col, col: self.row, ..self }
    }
}

/// What products of matrices of T are stored in: T, or f32, in which products of half types are added up.
pub(crate) trait ResultOf<T>: RocmDType {}

impl<T: RocmDType> ResultOf<T> for T {}
impl ResultOf<f16> for f32 {}
impl ResultOf<bf16> for f32 {}

/// C = A B. A result of any layout whose elements are distinct.
pub(crate) fn gemm<T: RocmDType, C: ResultOf<T>>(
    device: &RocmDevice,
    op: &'static str,
    shape: GemmShape,
    (a, at_a): (&Buffer<T>, Matrix),
    (b, at_b): (&Buffer<T>, Matrix),
    (c, at_c): (&mut Buffer<C>, Matrix),
) -> Result<(), RocmError> {
    let GemmShape { batch, m, n, k } = shape;
    strides::check(op, device, a, at_a, [batch, m, k])?;
    strides::check(op, device, b, at_b, [batch, k, n])?;
    strides::check(op, device, c, at_c, [batch, m, n])?;
    if batch == 0 || m == 0 || n == 0 {
        return Ok(());
    }
    let (shape, [at_a, at_b, at_c]) = strides::fold_batch(shape, [at_a, at_b, at_c]);
    if k > 0
        && has_blas::<T>()
        && let Some(tuner) = Tuner::of(device).filter(|_| device.gemm_engine() != GemmEngine::Rocblas)
    {
        return candidates::gemm(tuner, device, shape, (a, at_a), (b, at_b), (c, at_c));
    }
    by_rule(device, shape, (a, at_a), (b, at_b), (c, at_c))
}

/// C = A B by the engine that is asked first, and its choice of kernels.
fn by_rule<T: RocmDType, C: ResultOf<T>>(
    device: &RocmDevice,
    shape: GemmShape,
    (a, at_a): (&Buffer<T>, Matrix),
    (b, at_b): (&Buffer<T>, Matrix),
    (c, at_c): (&mut Buffer<C>, Matrix),
) -> Result<(), RocmError> {
    if shape.k > 0 && has_blas::<T>() && asks_rocblas_for::<T>(device, shape, at_a, at_b) {
        match through_rocblas(device, shape, (a, at_a), (b, at_b), (c, at_c)) {
            Ok(true) => return Ok(()),
            Ok(false) => {}
            Err(error) if device.gemm_engine() == GemmEngine::Auto && is_no_fault(&error) => {
                Blas::of(device).warn(&error);
            }
            Err(error) => return Err(error),
        }
    }
    kernels::gemm(device, None, shape, (a, at_a), (b, at_b), (c, at_c), None)
}

/// The file of the device's rocBLAS, or why there is none.
pub(crate) fn rocblas_library(device: &RocmDevice) -> Result<PathBuf, String> {
    Blas::of(device).library(device)
}

/// Whether there is a rocBLAS for the device.
pub(crate) fn has_rocblas(device: &RocmDevice) -> bool {
    Blas::of(device).is_there(device)
}

/// Whether rocBLAS is among those that may compute products.
pub(crate) fn may_ask_rocblas(device: &RocmDevice) -> bool {
    device.gemm_engine() != GemmEngine::Kernels && has_rocblas(device)
}

/// Whether rocBLAS is asked for products of this dtype before our own kernels.
pub(crate) fn asks_rocblas(device: &RocmDevice, dtype: DType) -> bool {
    let is_generic = || Blas::of(device).is_generic(device);
    goes_to_rocblas(device.gemm_engine(), device.uses_matrix_cores(dtype), is_generic)
}

/// Whether products of this dtype are computed on matrix cores, whoever computes them.
pub(crate) fn on_matrix_cores(device: &RocmDevice, dtype: DType) -> bool {
    match asks_rocblas(device, dtype) && has_rocblas(device) {
        true => device.libraries_use_matrix_cores(),
        false => has_own_tiles(device, dtype),
    }
}

/// Whether this crate's kernels may compute products of this dtype, and do it on matrix cores.
pub(crate) fn has_own_tiles(device: &RocmDevice, dtype: DType) -> bool {
    device.gemm_engine() != GemmEngine::Rocblas && device.uses_matrix_cores(dtype)
}

/// Reading a larger matrix takes the card longer than rocBLAS's search takes the host.
const QUICKLY_READ: usize = 64 << 20;

/// Whether rocBLAS is asked for this product before our own kernels.
///
/// One vector takes the time of reading the matrix, with our kernel as with rocBLAS's. Ours is one launch, where rocBLAS first looks for a
/// kernel and may need a second one to add parts of sums: a tenth of the host's time for a token of a language model.
fn asks_rocblas_for<T: RocmDType>(device: &RocmDevice, shape: GemmShape, a: Matrix, b: Matrix) -> bool {
    let quick = device.gemm_engine() == GemmEngine::Auto && is_quick::<T>(shape, a, b);
    !quick && asks_rocblas(device, T::DTYPE)
}

/// Whether the product is of one vector, with a matrix that is quickly read.
fn is_quick<T: RocmDType>(shape: GemmShape, a: Matrix, b: Matrix) -> bool {
    kernel::is_of_one_vector::<T>(shape, a, b, QUICKLY_READ)
}

/// Kernels for a generic target are another processor's or fallbacks, tuned for no card, and what they make of matrix cores
/// depends on the distribution; ours are written for them. Without matrix cores there is no such reason, and rocBLAS has the
/// larger choice of tiles. A rule until cards have timed both.
fn goes_to_rocblas(engine: GemmEngine, matrix_cores: bool, is_generic: impl FnOnce() -> bool) -> bool {
    match engine {
        GemmEngine::Kernels => false,
        GemmEngine::Rocblas => true,
        GemmEngine::Auto => !(matrix_cores && is_generic()),
    }
}

fn has_blas<T: RocmDType>() -> bool {
    T::DTYPE.is_16_to_64_bit_float()
}

/// Whether another engine may do better: nothing is wrong with the device or its memory.
fn is_no_fault(error: &RocmError) -> bool {
    matches!(
        error,
        RocmError::Rocblas { .. }
            | RocmError::RocblasUnavailable { .. }
            | RocmError::Hip(HipError::MissingSymbol(_) | HipError::Load { .. })
    )
}

const MATMUL: &str = "matmul";

/// More products than this are not worth the copy that makes one of them.
const MOST_CALLS: usize = 16;

/// candle's `matmul` of operands whose last two dimensions are m x k and k x n.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct MatMul {
    pub(crate) shape: GemmShape,
}

impl MatMul {
    /// Elements of the result; `None` if operands of these layouts are not multiplied, or make nothing.
    pub(crate) fn elements(&self, lhs_l: &Layout, rhs_l: &Layout) -> Option<usize> {
        let GemmShape { batch, m, n, k } = self.shape;
        let fit = strides::are_dims(lhs_l, [batch, m, k]) && strides::are_dims(rhs_l, [batch, k, n]);
        product(&[batch, m, n]).filter(|&elements| fit && elements > 0 && k > 0)
    }

    /// Whether the product of dense rows with a matrix that is dense along them is for `matvec_rows_*`: by what was measured, else by the
    /// rule.
    pub(crate) fn is_for_matvec(&self, device: &RocmDevice, dtype: DType) -> bool {
        each_dtype!(dtype, T => addend::is_for_matvec::<T>(device, self.shape), else false)
    }

    /// The product of operands of any layout, in C.
    fn multiply<T: RocmDType, C: ResultOf<T>>(
        &self,
        device: &RocmDevice,
        (lhs, lhs_l): (&Buffer<T>, &Layout),
        (rhs, rhs_l): (&Buffer<T>, &Layout),
    ) -> Result<Buffer<C>, RocmError> {
        let GemmShape { batch, m, n, k } = self.shape;
        let mismatch = || RocmError::ShapeMismatch {
            op: MATMUL,
            lhs: lhs_l.dims().to_vec(),
            rhs: rhs_l.dims().to_vec(),
        };
        check_bounds(MATMUL, lhs_l, lhs.len())?;
        check_bounds(MATMUL, rhs_l, rhs.len())?;
        let Some(a) = strides::Batched::new(lhs_l, [batch, m, k]) else { return Err(mismatch()) };
        let Some(b) = strides::Batched::new(rhs_l, [batch, k, n]) else { return Err(mismatch()) };
        let len = elem_count(MATMUL, &[batch, m, n])?;
        if k == 0 {
            return device.alloc_zeros(len);
        }
        let mut out = device.alloc::<C>(len)?;
        if len == 0 {
            return Ok(out);
        }
        let whole = Matrix::row_major(0, m, n);
        if let (Some(at_a), Some(at_b)) = (a.matrix(), b.matrix()) {
            gemm(device, MATMUL, self.shape, (lhs, at_a), (rhs, at_b), (&mut out, whole))?;
            return Ok(out);
        }
        if let Some(pairs) = strides::pair(&a, &b, m * n).filter(|pairs| pairs.calls <= MOST_CALLS) {
            let shape = GemmShape { batch: pairs.batch, ..self.shape };
            for (at_a, at_b, at_c) in pairs.each(&a, &b, whole) {
                gemm(device, MATMUL, shape, (lhs, at_a), (rhs, at_b), (&mut out, at_c))?;
            }
            return Ok(out);
        }
        let (copy_a, copy_b);
        let (lhs, at_a) = match a.matrix() {
            Some(at) => (lhs, at),
            None => {
                copy_a = row_major(device, lhs, lhs_l)?;
                (&copy_a, Matrix::row_major(0, m, k))
            }
        };
        let (rhs, at_b) = match b.matrix() {
            Some(at) => (rhs, at),
            None => {
                copy_b = row_major(device, rhs, rhs_l)?;
                (&copy_b, Matrix::row_major(0, k, n))
            }
        };
        gemm(device, MATMUL, self.shape, (lhs, at_a), (rhs, at_b), (&mut out, whole))?;
        Ok(out)
    }
}

impl Map2 for MatMul {
    fn op(&self) -> &'static str {
        MATMUL
    }

    fn f<T: RocmDType>(
        &self,
        device: &RocmDevice,
        lhs: (&Buffer<T>, &Layout),
        rhs: (&Buffer<T>, &Layout),
    ) -> Result<Buffer<T>, RocmError> {
        self.multiply(device, lhs, rhs)
    }
}

fn row_major<T: RocmDType>(
    device: &RocmDevice,
    src: &Buffer<T>,
    layout: &Layout,
) -> Result<Buffer<T>, RocmError> {
    let mut copy = device.alloc::<T>(elem_count(MATMUL, layout.dims())?)?;
    copy_strided(device, (src, layout), &mut copy, 0)?;
    Ok(copy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::HOST;

    #[test]
    fn generic_kernels_serve_what_has_no_matrix_cores() {
        for (engine, matrix_cores, generic, rocblas) in [
            (GemmEngine::Auto, true, true, false),
            (GemmEngine::Auto, false, true, true),
            (GemmEngine::Auto, true, false, true),
            (GemmEngine::Rocblas, true, true, true),
            (GemmEngine::Kernels, false, false, false),
        ] {
            let chosen = goes_to_rocblas(engine, matrix_cores, || generic);
            assert_eq!(chosen, rocblas, "{engine:?}, matrix cores {matrix_cores}, generic {generic}");
        }
    }

    /// The host platform's rocBLAS has no matrix cores, and our kernels emulate them.
    #[test]
    fn matrix_cores_are_those_of_who_computes() {
        let device = RocmDevice::on(HOST, 0).unwrap();
        for (engine, matrix_cores, want) in [
            (GemmEngine::Kernels, true, true),
            (GemmEngine::Kernels, false, false),
            (GemmEngine::Auto, true, !cfg!(feature = "rocblas")),
            (GemmEngine::Rocblas, true, false),
        ] {
            device.set_gemm_engine(engine);
            device.set_matrix_cores(matrix_cores);
            assert_eq!(
                on_matrix_cores(&device, DType::BF16),
                want,
                "{engine:?}, matrix cores {matrix_cores}"
            );
            assert!(!on_matrix_cores(&device, DType::F32));
        }
    }
}
