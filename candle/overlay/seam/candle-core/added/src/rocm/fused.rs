//! Operations that a backend may have one kernel for: the one list of them.

use std::sync::atomic::{AtomicU64, Ordering};

use super::Convolution;
use crate::quantized::QTensor;
use crate::{DType, Error, Result};

/// Makes [`FusedOp`] of the list: the variants with their documentation, names and indices.
macro_rules! fused_ops {
    ($($(#[doc = $doc:literal])+ $variant:ident $({ $($fields:tt)* })? $(($payload:ty))? = $name:literal;)*) => {
        /// An operation that is offered to the backend as a whole. Its operands are passed separately, in the order given here.
        #[derive(Debug, Clone, Copy)]
        #[non_exhaustive]
        #[allow(missing_docs)] // fields that the variant's documentation explains
        pub enum FusedOp<'a> {
            $($(#[doc = $doc])+ $variant $({ $($fields)* })? $(($payload))?,)*
        }

        /// The variants without their fields, to count them.
        enum Index {
            $($variant),*
        }

        /// The name and documentation, in Markdown, of each operation.
        pub const FUSED_OPS: &[(&str, &str)] = &[$(($name, concat!($($doc),+))),*];

        /// The names of their gradients, for profiles.
        const BACKWARD_NAMES: &[&str] = &[$(concat!($name, " backward")),*];

        impl FusedOp<'_> {
            fn index(&self) -> usize {
                match self {
                    $(Self::$variant { .. } => Index::$variant as usize,)*
                }
            }
        }
    };
}

fused_ops! {
    /// `x`: the logistic function.
    Sigmoid = "sigmoid";

    /// `x`: softmax over the last dimension.
    SoftmaxLastDim = "softmax-last-dim";

    /// `x, alpha`: `x / sqrt(mean(x²) + eps) * alpha` over the last dimension.
    RmsNorm { eps: f32 } = "rms-norm";

    /// `x, alpha, beta`: `(x - mean) / sqrt(variance + eps) * alpha + beta` over the last dimension.
    LayerNorm { eps: f32 } = "layer-norm";

    /// `x, alpha, beta` with x `[b, c, ..]`: `(x - mean) / sqrt(variance + eps)` over each of `groups` parts of a sample's
    /// channels, times alpha plus beta, which have an element for each channel.
    GroupNorm { groups: usize, eps: f64 } = "group-norm";

    /// `x, cos, sin` with x `[b, h, t, d]`: rotary embedding, pairs are `d/2` apart.
    Rope = "rope";

    /// `x, cos, sin` with x `[b, h, t, d]`: rotary embedding, pairs are neighbours.
    RopeInterleaved = "rope-i";

    /// `x, cos, sin` with x `[b, t, h, d]`: rotary embedding, pairs are `d/2` apart.
    RopeThd = "rope-thd";

    /// `x, kernel`: a convolution with groups.
    Convolution(Convolution) = "convolution";

    /// Any number of tensors: concatenated along `dim`.
    Cat { dim: usize } = "cat";

    /// `x`: running sums along `dim`.
    CumSum { dim: usize } = "cumsum";

    /// `x`: the indices that sort each row of the last dimension, as u32.
    ArgSort { ascending: bool } = "argsort";

    /// `q, k, v` and maybe an additive mask: attention with q `[b, h, t, d]`, k `[b, h_kv, s, d]` and v `[b, h_kv, s, d_v]`. A
    /// query that sees no key gives zeros.
    Sdpa {
        /// Multiplies the scores.
        scale: f32,
        /// Scores become `tanh(score / softcapping) * softcapping`.
        softcapping: Option<f32>,
        /// Whether the last query sees all keys, the one before one less, and so on.
        causal: bool,
    } = "sdpa";

    /// `input, weights, sorted_token_ids, expert_ids` and maybe `topk_weights`: candle-nn's `moe_gemm`.
    Moe { topk: usize, is_prefill: bool } = "moe";

    /// `input, sorted_token_ids, expert_ids` and maybe `topk_weights`: candle-nn's `moe_gemm_gguf`.
    MoeQuantized { weights: &'a QTensor, topk: usize, is_prefill: bool, dtype: DType } = "moe-quantized";
}

/// What became of the offers of one operation, or of its gradients.
struct Offers {
    taken: AtomicU64,
    declined: AtomicU64,
}

impl Offers {
    const NONE: Self = Self { taken: AtomicU64::new(0), declined: AtomicU64::new(0) };

    fn count(&self, taken: bool) {
        let count = if taken { &self.taken } else { &self.declined };
        count.fetch_add(1, Ordering::Relaxed);
    }
}

static FORWARD: [Offers; FUSED_OPS.len()] = [const { Offers::NONE }; FUSED_OPS.len()];
static BACKWARD: [Offers; FUSED_OPS.len()] = [const { Offers::NONE }; FUSED_OPS.len()];

impl FusedOp<'_> {
    /// The name that [`fused_taken`] and [`fused_declined`] take.
    pub fn name(&self) -> &'static str {
        FUSED_OPS[self.index()].0
    }

    /// The name of the computation of its gradients, for profiles.
    pub fn backward_name(&self) -> &'static str {
        BACKWARD_NAMES[self.index()]
    }

    /// Of an offer that the backend declined: an error if no device computes the operation in this dtype.
    pub(super) fn check_dtype(&self, dtype: DType) -> Result<()> {
        let of_floats = match self {
            Self::Sigmoid
            | Self::SoftmaxLastDim
            | Self::RmsNorm { .. }
            | Self::LayerNorm { .. }
            | Self::GroupNorm { .. }
            | Self::Rope
            | Self::RopeInterleaved
            | Self::RopeThd
            | Self::Sdpa { .. } => true,
            // candle's own ways have other dtypes, or name those that they lack.
            Self::Convolution(_)
            | Self::Cat { .. }
            | Self::CumSum { .. }
            | Self::ArgSort { .. }
            | Self::Moe { .. }
            | Self::MoeQuantized { .. } => false,
        };
        match dtype {
            DType::F16 | DType::BF16 | DType::F32 | DType::F64 => Ok(()),
            _ if !of_floats => Ok(()),
            _ => Err(Error::UnsupportedDTypeForOp(dtype, self.name()).bt()),
        }
    }

    pub(super) fn count(&self, taken: bool) {
        FORWARD[self.index()].count(taken);
    }

    pub(super) fn count_backward(&self, taken: bool) {
        BACKWARD[self.index()].count(taken);
    }
}

/// How often, in this process, a backend computed the operation with this name ([`FusedOp::name`]) when it was offered.
pub fn fused_taken(name: &str) -> u64 {
    counted(&FORWARD, name, |offers| &offers.taken)
}

/// How often, in this process, a backend had no kernel for the operation with this name and its operands.
pub fn fused_declined(name: &str) -> u64 {
    counted(&FORWARD, name, |offers| &offers.declined)
}

/// As [`fused_taken`], for the operation's gradients.
pub fn backward_taken(name: &str) -> u64 {
    counted(&BACKWARD, name, |offers| &offers.taken)
}

/// As [`fused_declined`], for the operation's gradients.
pub fn backward_declined(name: &str) -> u64 {
    counted(&BACKWARD, name, |offers| &offers.declined)
}

fn counted(offers: &[Offers], name: &str, of: fn(&Offers) -> &AtomicU64) -> u64 {
    let index = FUSED_OPS.iter().position(|(known, _)| *known == name);
    index.map_or(0, |index| of(&offers[index]).load(Ordering::Relaxed))
}
