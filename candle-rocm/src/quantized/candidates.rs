//! Products with quantized weights by what was the fastest for shapes like these.

use candle_core::{DType, Layout};

use super::algorithm::Algorithm;
use super::product::MOST_TILED;
use super::{QStorage, stream};
use crate::dtype::{DTypeExt, QUANTIZED};
use crate::matmul::{asks_rocblas, has_own_tiles, has_rocblas};
use crate::tuning::{self, Class, Entrants, QuantizedCandidate as Is, Tuner};
use crate::{Result, RocmStorage};

/// Maximum number of vectors for which the weights may be read several times.
const MOST_VECTORS: usize = 32;
const MOST_STREAMED: usize = 64;
/// Number of vectors up to which tiles are mostly empty, and from which on dequantizing may pay off.
const FEW: usize = 8;

/// The product of weights that have kernels. `fixed` is what the fixed rules choose.
pub(super) fn forward(
    tuner: &Tuner,
    weights: &QStorage,
    fixed: Algorithm,
    shape: (usize, usize),
    (x, layout): (&RocmStorage, &Layout),
    vectors: usize,
) -> Result<RocmStorage> {
    let device = &weights.device;
    let (Some(class), Some(rule)) = (class(weights, shape, x.dtype(), vectors), candidate(fixed)) else {
        return weights.forward_with(fixed, shape, x, layout);
    };
    let dtype = x.dtype();
    let race = || {
        Entrants::new(rule.index(), Is::ALL.len(), |index| {
            Is::at(index).is_some_and(|candidate| fits(weights, candidate, shape, dtype, vectors))
        })
    };
    tuner.serve(device, class, race, |index| {
        let (algorithm, threads) = index.and_then(Is::at).map_or((fixed, None), algorithm);
        weights.forward_by(algorithm, threads, shape, (x, layout))
    })
}

/// Whether nothing else than [`Algorithm::Streamed`] was the fastest for one vector, however many threads it takes.
pub(super) fn is_streamed(weights: &QStorage, shape: (usize, usize), dtype: DType) -> bool {
    let choice = Tuner::of(&weights.device).and_then(|tuner| tuner.choice(class(weights, shape, dtype, 1)?));
    choice.and_then(Is::at).is_none_or(|candidate| algorithm(candidate).0 == Algorithm::Streamed)
}

fn fits(weights: &QStorage, candidate: Is, shape: (usize, usize), dtype: DType, vectors: usize) -> bool {
    let device = &weights.device;
    let streamed = |threads| {
        vectors <= MOST_STREAMED && stream::serves_by(device, weights.kind, shape, vectors, threads)
    };
    let small = || weights.len().saturating_mul(32 * size_of::<f32>()) <= device.hip_device().total_memory();
    match candidate {
        Is::Exact => vectors == 1,
        Is::Vectors => vectors <= MOST_VECTORS,
        Is::Streamed => vectors <= MOST_STREAMED && stream::serves(device, weights.kind, shape.0, shape.1),
        Is::Streamed128 => streamed(128),
        Is::Streamed256 => streamed(256),
        Is::Streamed512 => streamed(512),
        Is::Tiles => vectors > FEW && shape.1 <= MOST_TILED,
        Is::Dequantized => vectors >= FEW && small(),
        // Vectors of half types are not rounded: then this is the same as the one before.
        Is::Half => {
            let rocblas = || asks_rocblas(device, DType::BF16) && has_rocblas(device);
            vectors >= FEW
                && dtype == DType::F32
                && small()
                && (rocblas() || has_own_tiles(device, DType::BF16))
        }
    }
}

/// What stands for an algorithm that decides on its threads by itself.
fn candidate(of: Algorithm) -> Option<Is> {
    Is::ALL.iter().copied().find(|&candidate| algorithm(candidate) == (of, None))
}

/// With the threads of a block, where they are not up to the rule.
fn algorithm(candidate: Is) -> (Algorithm, Option<usize>) {
    match candidate {
        Is::Exact => (Algorithm::Exact, None),
        Is::Vectors => (Algorithm::Vectors, None),
        Is::Streamed => (Algorithm::Streamed, None),
        Is::Streamed128 => (Algorithm::Streamed, Some(128)),
        Is::Streamed256 => (Algorithm::Streamed, Some(256)),
        Is::Streamed512 => (Algorithm::Streamed, Some(512)),
        Is::Tiles => (Algorithm::Tiles, None),
        Is::Dequantized => (Algorithm::Dequantized, None),
        Is::Half => (Algorithm::Half, None),
    }
}

/// The words and sizes are those of the table in `tuning/decisions.rs`. `None` for types without kernels and other dtypes.
fn class(weights: &QStorage, (rows, columns): (usize, usize), dtype: DType, vectors: usize) -> Option<Class> {
    let kind = QUANTIZED.iter().position(|(of, _)| *of == weights.kind)? as u8;
    let dtype = dtype.is_16_or_32_bit_float().then(|| tuning::float(dtype))?;
    let words = [kind, dtype, u8::from(has_rocblas(&weights.device))];
    Some(Class::new(tuning::QUANTIZED, &words, &[vectors, rows, columns]))
}
