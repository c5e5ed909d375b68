//! Products with quantized weights by what was the fastest for shapes like these.

use candle_core::{DType, Layout};

use super::algorithm::{Algorithm, MOST_TILED};
use super::{QStorage, stream};
use crate::dtype::{DTypeExt, QUANTIZED, QUANTIZED_NAMES};
use crate::matmul::candidates::ENGINES;
use crate::matmul::{asks_rocblas, has_own_tiles, has_rocblas, may_ask_rocblas};
use crate::tuning::{
    Candidate as _, Candidates, Class, Decision, FLOATS_OF_32_BITS, Served, Tuner, candidates, float,
};
use crate::{Result, RocmStorage};

candidates! {
    /// What multiplies vectors with quantized weights.
    Candidate {
        /// `Algorithm::Exact`, for one vector.
        Exact "exact",
        /// `Algorithm::Vectors`, up to 32.
        Vectors "vectors",
        /// `Algorithm::Streamed` in blocks that its own rule chooses, up to 64 vectors, as the next ones.
        Streamed "streamed",
        /// In blocks of 128 threads.
        Streamed128 "streamed_128",
        /// In blocks of 256 threads.
        Streamed256 "streamed_256",
        /// In blocks of 512 threads.
        Streamed512 "streamed_512",
        /// `Algorithm::Tiles`, for more than 8 vectors.
        Tiles "tiles",
        /// `Algorithm::Dequantized`, from 8 vectors on, for weights that are small in relation to the memory.
        Dequantized "dequantized",
        /// `Algorithm::Half`, the same of f32, with rocBLAS or on matrix cores.
        Half "half",
    }
}

pub(crate) static DECISION: Decision = Decision {
    name: "quantized_matmul",
    // The weights' type, the vectors' dtype, engines.
    words: &[&QUANTIZED_NAMES, FLOATS_OF_32_BITS, ENGINES],
    sizes: &["vectors", "rows", "columns"],
    candidates: Candidate::NAMES,
    guessed: false,
    // All that quantize vectors to 8 bits. The others round less or otherwise, and may ask rocBLAS.
    predictable: &["vectors", "streamed", "streamed_128", "streamed_256", "streamed_512", "tiles"],
};

/// Maximum number of vectors for which the weights may be read several times.
const MOST_VECTORS: usize = 32;
const MOST_STREAMED: usize = 64;
/// Number of vectors up to which tiles are mostly empty, and from which on dequantizing may pay off.
pub(crate) const FEW: usize = 8;

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
    let dtype = x.dtype();
    let class = |rocblas| class(weights, rocblas, shape, dtype, vectors);
    let (Some(own), Some(rule)) = (class(may_ask_rocblas(device)), candidate(fixed)) else {
        return weights.forward_with(fixed, shape, x, layout);
    };
    let candidates = || {
        let fits = |candidate| fits(weights, candidate, shape, dtype, vectors);
        // The rule goes by whether there are matrix cores, whoever uses them.
        Candidates::new(rule, fits).with_libraries(class(true).filter(|other| *other != own))
    };
    tuner.serve(device, own, candidates, |candidate| {
        let (algorithm, threads) = candidate.map_or((fixed, None), algorithm);
        weights.forward_by(algorithm, threads, shape, (x, layout))
    })
}

/// What multiplies so many vectors, where the rule chooses this. `None` while that is being measured.
pub(super) fn served(
    weights: &QStorage,
    rule: Algorithm,
    shape: (usize, usize),
    dtype: DType,
    vectors: usize,
) -> Option<Algorithm> {
    let class = class(weights, may_ask_rocblas(&weights.device), shape, dtype, vectors);
    let (Some(tuner), Some(class)) = (Tuner::of(&weights.device), class) else { return Some(rule) };
    match tuner.served(class) {
        Served::ByRule => Some(rule),
        Served::By(candidate) => Some(algorithm(candidate).0),
        Served::ByTurns => None,
    }
}

fn fits(
    weights: &QStorage,
    candidate: Candidate,
    shape: (usize, usize),
    dtype: DType,
    vectors: usize,
) -> bool {
    let device = &weights.device;
    let streamed = |threads| {
        vectors <= MOST_STREAMED && stream::serves_by(device, weights.kind, shape, vectors, threads)
    };
    let small = || weights.len().saturating_mul(32 * size_of::<f32>()) <= device.hip_device().total_memory();
    match candidate {
        Candidate::Exact => vectors == 1,
        Candidate::Vectors => vectors <= MOST_VECTORS,
        Candidate::Streamed => {
            vectors <= MOST_STREAMED && stream::serves(device, weights.kind, shape.0, shape.1)
        }
        Candidate::Streamed128 => streamed(128),
        Candidate::Streamed256 => streamed(256),
        Candidate::Streamed512 => streamed(512),
        Candidate::Tiles => vectors > FEW && shape.1 <= MOST_TILED,
        Candidate::Dequantized => vectors >= FEW && small(),
        // Vectors of half types are not rounded: then this is the same as the one before.
        Candidate::Half => {
            let rocblas = || asks_rocblas(device, DType::BF16) && has_rocblas(device);
            vectors >= FEW
                && dtype == DType::F32
                && small()
                && (rocblas() || has_own_tiles(device, DType::BF16))
        }
    }
}

/// What stands for an algorithm that decides on its threads by itself.
fn candidate(of: Algorithm) -> Option<Candidate> {
    Candidate::ALL.iter().copied().find(|&candidate| algorithm(candidate) == (of, None))
}

/// With the threads of a block, where they are not up to the rule.
fn algorithm(candidate: Candidate) -> (Algorithm, Option<usize>) {
    match candidate {
        Candidate::Exact => (Algorithm::Exact, None),
        Candidate::Vectors => (Algorithm::Vectors, None),
        Candidate::Streamed => (Algorithm::Streamed, None),
        Candidate::Streamed128 => (Algorithm::Streamed, Some(128)),
        Candidate::Streamed256 => (Algorithm::Streamed, Some(256)),
        Candidate::Streamed512 => (Algorithm::Streamed, Some(512)),
        Candidate::Tiles => (Algorithm::Tiles, None),
        Candidate::Dequantized => (Algorithm::Dequantized, None),
        Candidate::Half => (Algorithm::Half, None),
    }
}

/// `None` for types without kernels and other dtypes.
fn class(
    weights: &QStorage,
    rocblas: bool,
    (rows, columns): (usize, usize),
    dtype: DType,
    vectors: usize,
) -> Option<Class> {
    let kind = QUANTIZED.iter().position(|(of, _)| *of == weights.kind)? as u8;
    let dtype = dtype.is_16_or_32_bit_float().then(|| float(dtype))?;
    let words = [kind, dtype, u8::from(rocblas)];
    Some(DECISION.class(&words, &[vectors, rows, columns]))
}
