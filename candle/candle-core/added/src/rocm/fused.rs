//! Operations that a backend may have one kernel for.

use std::sync::atomic::{AtomicU64, Ordering};

use super::Convolution;
use crate::quantized::QTensor;

/// An operation that the backend is offered as a whole. Its operands come beside it, in the order given here.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum FusedOp<'a> {
    /// The logistic function of `x`.
    Sigmoid,
    /// Softmax over the last dimension of `x`.
    SoftmaxLastDim,
    /// `x, alpha`: `x / sqrt(mean(x²) + eps) * alpha` over the last dimension.
    #[allow(missing_docs)]
    RmsNorm { eps: f32 },
    /// `x, alpha, beta`: `(x - mean) / sqrt(variance + eps) * alpha + beta` over the last dimension.
    #[allow(missing_docs)]
    LayerNorm { eps: f32 },
    /// `x, alpha, beta` with x `[b, c, ..]`: `(x - mean) / sqrt(variance + eps)` over each of `groups` parts of a sample's
    /// channels, times alpha plus beta, which have an element for each channel.
    #[allow(missing_docs)]
    GroupNorm { groups: usize, eps: f64 },
    /// `x, cos, sin` with x `[b, h, t, d]`: rotary embedding, pairs are `d/2` apart.
    Rope,
    /// As [`FusedOp::Rope`], pairs are neighbours.
    RopeInterleaved,
    /// As [`FusedOp::Rope`], with x `[b, t, h, d]`.
    RopeThd,
    /// `x, kernel`: a convolution with groups.
    Convolution(Convolution),
    /// Any number of tensors, one behind the other along a dimension.
    #[allow(missing_docs)]
    Cat { dim: usize },
    /// Each element of `x` plus all before it along a dimension.
    #[allow(missing_docs)]
    CumSum { dim: usize },
    /// The indices that sort each row of the last dimension, as u32.
    #[allow(missing_docs)]
    ArgSort { ascending: bool },
    /// `q, k, v` and maybe an additive mask: attention, `q [b, h, t, d]`, `k [b, h_kv, s, d]`, `v [b, h_kv, s, d_v]`.
    Sdpa {
        /// Multiplies the scores.
        scale: f32,
        /// Scores become `tanh(score / softcapping) * softcapping`, unless it is 1.
        softcapping: f32,
        /// Whether the last query sees all keys, the one before one less, and so on.
        causal: bool,
    },
    /// `input, weights, sorted_token_ids, expert_ids` and maybe `topk_weights`: candle-nn's `moe_gemm`.
    #[allow(missing_docs)]
    Moe { topk: usize, is_prefill: bool },
    /// `input, sorted_token_ids, expert_ids` and maybe `topk_weights`: candle-nn's `moe_gemm_gguf`.
    #[allow(missing_docs)]
    MoeQuantized { weights: &'a QTensor, topk: usize, is_prefill: bool, dtype: crate::DType },
}

const NAMES: [&str; 15] = [
    "sigmoid",
    "softmax-last-dim",
    "rms-norm",
    "layer-norm",
    "rope",
    "rope-i",
    "rope-thd",
    "argsort",
    "sdpa",
    "moe",
    "moe-quantized",
    "convolution",
    "cat",
    "group-norm",
    "cumsum",
];

static TAKEN: [AtomicU64; NAMES.len()] = [const { AtomicU64::new(0) }; NAMES.len()];
static DECLINED: [AtomicU64; NAMES.len()] = [const { AtomicU64::new(0) }; NAMES.len()];
static BACKWARD_TAKEN: [AtomicU64; NAMES.len()] = [const { AtomicU64::new(0) }; NAMES.len()];
static BACKWARD_DECLINED: [AtomicU64; NAMES.len()] = [const { AtomicU64::new(0) }; NAMES.len()];

impl FusedOp<'_> {
    fn index(&self) -> usize {
        match self {
            Self::Sigmoid => 0,
            Self::SoftmaxLastDim => 1,
            Self::RmsNorm { .. } => 2,
            Self::LayerNorm { .. } => 3,
            Self::Rope => 4,
            Self::RopeInterleaved => 5,
            Self::RopeThd => 6,
            Self::ArgSort { .. } => 7,
            Self::Sdpa { .. } => 8,
            Self::Moe { .. } => 9,
            Self::MoeQuantized { .. } => 10,
            Self::Convolution(_) => 11,
            Self::Cat { .. } => 12,
            Self::GroupNorm { .. } => 13,
            Self::CumSum { .. } => 14,
        }
    }

    /// The name, as [`fused_taken`] and [`fused_declined`] take it.
    pub fn name(&self) -> &'static str {
        NAMES[self.index()]
    }

    pub(super) fn count(&self, taken: bool) {
        let counts = if taken { &TAKEN } else { &DECLINED };
        counts[self.index()].fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn count_backward(&self, taken: bool) {
        let counts = if taken { &BACKWARD_TAKEN } else { &BACKWARD_DECLINED };
        counts[self.index()].fetch_add(1, Ordering::Relaxed);
    }
}

/// How often, in this process, a backend took the operation of that name ([`FusedOp::name`]) when it was offered.
pub fn fused_taken(name: &str) -> u64 {
    counted(&TAKEN, name)
}

/// How often, in this process, a backend had no kernel for that operation and its operands.
pub fn fused_declined(name: &str) -> u64 {
    counted(&DECLINED, name)
}

/// As [`fused_taken`], of its gradients.
pub fn backward_taken(name: &str) -> u64 {
    counted(&BACKWARD_TAKEN, name)
}

/// As [`fused_declined`], of its gradients.
pub fn backward_declined(name: &str) -> u64 {
    counted(&BACKWARD_DECLINED, name)
}

fn counted(counts: &[AtomicU64], name: &str) -> u64 {
    let index = NAMES.iter().position(|n| *n == name);
    index.map_or(0, |index| counts[index].load(Ordering::Relaxed))
}
