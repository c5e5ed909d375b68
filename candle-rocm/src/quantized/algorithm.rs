//! Which algorithm computes a product with quantized weights.

use candle_core::DType;

use super::{QStorage, kernel_name, stream};
use crate::RocmDevice;
use crate::matmul::on_matrix_cores;

/// How a product with quantized weights is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// Multiplies one f32 vector by the weights as they are, in one launch. The most precise.
    Exact,
    /// Quantizes vectors to 8 bits, with an f32 scale per 32 values, and multiplies integers. Up to eight vectors share a launch that reads
    /// the weights once.
    Vectors,
    /// As [`Algorithm::Vectors`], with weights staged through shared memory: the fastest on GPUs. The number of columns must be a multiple
    /// of 64, and the quantized vector must fit in shared memory.
    Streamed,
    /// As [`Algorithm::Vectors`], for many vectors, in tiles that are multiplied on matrix cores if the card has them. Supports up to 2^24
    /// columns.
    Tiles,
    /// Dequantizes the weights, then multiplies in the dtype of the vectors.
    Dequantized,
    /// As [`Algorithm::Dequantized`], in bf16 on matrix cores, by rocBLAS or this crate's kernels, with f32 sums and results. Rounding to
    /// bf16 changes an f32 value by up to 1/512 of itself; 8-bit quantization changes it by up to 1/254 of the largest of 32 adjacent
    /// values. Vectors of half types are not rounded.
    Half,
}

/// Columns for which the bytes of a tile's rows are counted in 32 bits.
pub(crate) const MOST_TILED: usize = 1 << 24;
/// Weights of a matrix below which a launch takes longer than reading them.
const FEW_WEIGHTS: usize = 1 << 20;
/// Maximum number of vectors for which reading the weights several times is faster than tiles that are mostly empty.
const FEW_VECTORS: usize = 16;
/// Minimum number of vectors for which dequantizing to half types pays off on cards with matrix cores: with fast memory, and with
/// memory that is slow in relation.
const MANY_VECTORS: [usize; 2] = [24, 96];

impl QStorage {
    /// The [`Algorithm`] that is expected to be the fastest for this number of vectors. [`QStorage::forward`] uses it unless another one
    /// was [measured](crate::Tuning) or predicted to be faster.
    pub fn algorithm(&self, (rows, columns): (usize, usize), vectors: usize) -> Algorithm {
        let few = vectors <= FEW_VECTORS;
        let slow_barriers = self.device.has_slow_barriers();
        let streamed = stream::serves(&self.device, self.kind, rows, columns);
        match () {
            () if kernel_name(self.kind).is_none() => Algorithm::Dequantized,
            () if few && streamed && !slow_barriers => Algorithm::Streamed,
            () if vectors == 1 && rows.saturating_mul(columns) <= FEW_WEIGHTS => Algorithm::Exact,
            () if few => Algorithm::Vectors,
            // They make tiles slow, and a CPU's matrix product is fast.
            () if slow_barriers => Algorithm::Dequantized,
            () if columns > MOST_TILED => Algorithm::Dequantized,
            () => match many_vectors(&self.device) {
                Some(many) if vectors >= many => Algorithm::Half,
                // Where memory is that fast, tiles never are.
                Some(many) if streamed && many == MANY_VECTORS[0] => Algorithm::Streamed,
                _ => Algorithm::Tiles,
            },
        }
    }
}

/// Minimum number of vectors for which [`Algorithm::Half`] is the fastest; `None` on cards where it never is.
fn many_vectors(device: &RocmDevice) -> Option<usize> {
    // Nothing is dequantized first.
    if device.has_fast_byte_matrix_cores() {
        return None;
    }
    let [many, many_more] = MANY_VECTORS;
    on_matrix_cores(device, DType::BF16).then(|| if device.has_fast_memory() { many } else { many_more })
}
