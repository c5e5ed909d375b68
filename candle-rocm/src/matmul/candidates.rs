//! Matrix products by what was the fastest for shapes like these.

use candle_core::DType;

use super::kernel::{Candidate, GemmKernel};
use super::through_rocblas::through_rocblas;
use super::{
    GemmEngine, GemmShape, Matrix, ResultOf, asks_rocblas_for, by_rule, is_quick, kernels, may_ask_rocblas,
};
use crate::hip::Buffer;
use crate::tuning::{Candidates, Class, Decision, FLOATS, Served, Tuner, float};
use crate::{RocmDType, RocmDevice, RocmError};

pub(crate) static DECISION: Decision = Decision {
    name: "matmul",
    // The dtypes; A, B and C; whether matrix cores take the operands; engines.
    words: &[DTYPES, LAYOUTS, LAYOUTS, LAYOUTS, &["plain", "matrix_cores"], ENGINES],
    sizes: &["batch", "m", "n", "k"],
    candidates: Candidate::NAMES,
    guessed: false,
    // All but rocBLAS.
    predictable: Candidate::NAMES.split_at(1).1,
};

/// Of products: one, or those of the operands and of the result.
const DTYPES: &[&str] = &["f16", "bf16", "f32", "f64", "f16_f32", "bf16_f32"];
/// How a matrix lies: dense rows, dense columns, neither.
const LAYOUTS: &[&str] = &["rows", "columns", "strided"];
/// Who could be asked.
pub(crate) const ENGINES: &[&str] = &["kernels", "rocblas"];

/// The index of an operand's and a result's dtype in [`DTYPES`].
fn floats(operands: DType, result: DType) -> u8 {
    let first_of_two = if operands == result { 0 } else { FLOATS.len() as u8 };
    first_of_two + float(operands)
}

/// C = A B of floats; the matrices were checked, and k is not 0.
pub(super) fn gemm<T: RocmDType, C: ResultOf<T>>(
    tuner: &Tuner,
    device: &RocmDevice,
    shape: GemmShape,
    (a, at_a): (&Buffer<T>, Matrix),
    (b, at_b): (&Buffer<T>, Matrix),
    (c, at_c): (&mut Buffer<C>, Matrix),
) -> Result<(), RocmError> {
    let plan = |candidate| GemmKernel::of::<T>(candidate, device, shape, at_a, at_b, at_c);
    let rocblas = may_ask_rocblas(device);
    let matrix_cores = plan(Candidate::Matrix64).is_some();
    let class = |rocblas| class::<T, C>(shape, [at_a, at_b, at_c], matrix_cores, rocblas);
    let candidates = || {
        let fixed = match rocblas && asks_rocblas_for::<T>(device, shape, at_a, at_b) {
            true => Candidate::Rocblas,
            false => GemmKernel::by_rule::<T>(device, shape, at_a, at_b, at_c).candidate,
        };
        Candidates::new(fixed, |candidate| match candidate {
            Candidate::Rocblas => rocblas,
            // Tiles of the other kernels are slower where there are matrix cores.
            Candidate::Small | Candidate::Medium | Candidate::Large if matrix_cores => false,
            candidate => plan(candidate).is_some(),
        })
        .with_libraries((!rocblas && is_quick::<T>(shape, at_a, at_b)).then(|| class(true)))
    };
    tuner.serve(device, class(rocblas), candidates, |candidate| {
        let (a, b, c) = ((a, at_a), (b, at_b), (&mut *c, at_c));
        match candidate {
            None => by_rule(device, shape, a, b, c),
            Some(Candidate::Rocblas) if rocblas => {
                match through_rocblas(device, shape, a, b, (&mut *c.0, at_c)) {
                    Ok(true) => Ok(()),
                    Ok(false) => by_rule(device, shape, a, b, c),
                    Err(error) => Err(error),
                }
            }
            // One that does not take these operands is another card's choice.
            Some(candidate) => match plan(candidate) {
                Some(plan) => kernels::gemm(device, Some(plan), shape, a, b, c, None),
                None => by_rule(device, shape, a, b, c),
            },
        }
    })
}

/// What serves products with results of the operands' type.
pub(super) fn served<T: RocmDType>(
    device: &RocmDevice,
    shape: GemmShape,
    [a, b, c]: [Matrix; 3],
) -> Served<Candidate> {
    let tuner = Tuner::of(device).filter(|_| device.gemm_engine() != GemmEngine::Rocblas);
    let matrix_cores = || GemmKernel::of::<T>(Candidate::Matrix64, device, shape, a, b, c).is_some();
    let class = || class::<T, T>(shape, [a, b, c], matrix_cores(), may_ask_rocblas(device));
    tuner.map_or(Served::ByRule, |tuner| tuner.served(class()))
}

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
    let words = [floats(T::DTYPE, C::DTYPE), a, b, c, u8::from(matrix_cores), u8::from(rocblas)];
    DECISION.class(&words, &[shape.batch, shape.m, shape.n, shape.k])
}
