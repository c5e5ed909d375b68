//! Matrix products by what was the fastest for shapes like these.

use super::plan::Plan;
use super::through_rocblas::through_rocblas;
use super::{GemmEngine, GemmShape, Matrix, ResultOf, asks_rocblas_for, by_rule, has_rocblas, kernels};
use crate::hip::Buffer;
use crate::tuning::{self, Class, Entrants, MatMulCandidate, Tuner};
use crate::{RocmDType, RocmDevice, RocmError};

/// C = A B of floats; the matrices were checked, and k is not 0.
pub(super) fn gemm<T: RocmDType, C: ResultOf<T>>(
    tuner: &Tuner,
    device: &RocmDevice,
    shape: GemmShape,
    (a, at_a): (&Buffer<T>, Matrix),
    (b, at_b): (&Buffer<T>, Matrix),
    (c, at_c): (&mut Buffer<C>, Matrix),
) -> Result<(), RocmError> {
    let plan = |candidate| Plan::of::<T>(candidate, device, shape, at_a, at_b, at_c);
    let rocblas = has_rocblas(device);
    let matrix_cores = plan(MatMulCandidate::Matrix64).is_some();
    let class = class::<T, C>(shape, [at_a, at_b, at_c], matrix_cores, rocblas);
    let race = || {
        let fixed = match rocblas && asks_rocblas_for::<T>(device, shape, at_a, at_b) {
            true => MatMulCandidate::Rocblas,
            false => Plan::by_rule::<T>(device, shape, at_a, at_b, at_c).candidate,
        };
        Entrants::new(fixed.index(), MatMulCandidate::ALL.len(), |index| match MatMulCandidate::at(index) {
            Some(MatMulCandidate::Rocblas) => rocblas,
            // Tiles of the other kernels are slower where there are matrix cores.
            Some(MatMulCandidate::Small | MatMulCandidate::Medium | MatMulCandidate::Large)
                if matrix_cores =>
            {
                false
            }
            Some(candidate) => plan(candidate).is_some(),
            None => false,
        })
    };
    tuner.serve(device, class, race, |index| {
        let (a, b, c) = ((a, at_a), (b, at_b), (&mut *c, at_c));
        match index.and_then(MatMulCandidate::at) {
            None => by_rule(device, shape, a, b, c),
            Some(MatMulCandidate::Rocblas) => match through_rocblas(device, shape, a, b, (&mut *c.0, at_c)) {
                Ok(true) => Ok(()),
                Ok(false) => by_rule(device, shape, a, b, c),
                Err(error) => Err(error),
            },
            // One that does not take these operands is another card's choice.
            Some(candidate) => match plan(candidate) {
                Some(plan) => kernels::gemm(device, Some(plan), shape, a, b, c, None),
                None => by_rule(device, shape, a, b, c),
            },
        }
    })
}

/// What was the fastest for results of the operands' type, if it is known.
pub(super) fn choice<T: RocmDType>(
    device: &RocmDevice,
    shape: GemmShape,
    [a, b, c]: [Matrix; 3],
) -> Option<MatMulCandidate> {
    let tuner = Tuner::of(device).filter(|_| device.gemm_engine() == GemmEngine::Auto)?;
    let matrix_cores = Plan::of::<T>(MatMulCandidate::Matrix64, device, shape, a, b, c).is_some();
    let class = class::<T, T>(shape, [a, b, c], matrix_cores, has_rocblas(device));
    MatMulCandidate::at(tuner.choice(class)?)
}

/// The words and sizes are those of the table in `tuning/decisions.rs`.
fn class<T: RocmDType, C: ResultOf<T>>(
    shape: GemmShape,
    at: [Matrix; 3],
    matrix_cores: bool,
    rocblas: bool,
) -> Class {
    let [a, b, c] = at.map(|at| match (at.row, at.col) {
        (_, 1) => 0,
        (1, _) => 1,
        _ => 2,
    });
    let words = [tuning::floats(T::DTYPE, C::DTYPE), a, b, c, u8::from(matrix_cores), u8::from(rocblas)];
    Class::new(tuning::MATMUL, &words, &[shape.batch, shape.m, shape.n, shape.k])
}
