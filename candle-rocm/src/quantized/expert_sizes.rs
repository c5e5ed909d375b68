//! How large a mixture of experts is.

use super::activations::STEP_BYTES;
use super::algorithm::MOST_TILED;
use crate::indexing::ExpertTiles;

/// Sizes of a mixture of experts.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    pub(super) experts: usize,
    pub(super) n: usize,
    pub(super) k: usize,
    pub(super) tokens: usize,
    pub(super) topk: usize,
    /// Vectors of a token: one, or one for each of its experts.
    pub(super) per_token: usize,
}

impl Sizes {
    pub(super) fn tasks(&self) -> usize {
        self.tokens * self.topk
    }

    /// Whether tiles take them: experts have a thread each, and the bytes of a step of all vectors and of a
    /// tile's rows are counted in 32 bits.
    pub(super) fn fit_tiles(&self) -> bool {
        (1..=ExpertTiles::MOST).contains(&self.experts)
            && self.k <= MOST_TILED
            && self.tasks().saturating_mul(STEP_BYTES) <= u32::MAX as usize
    }

    /// Products that share a vector.
    pub(super) fn per_vector(&self) -> usize {
        self.topk / self.per_token
    }
}
