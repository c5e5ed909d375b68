//! What candle-nn computes with kernels of its own: the logistic function, softmax, norms, rotary embeddings, attention,
//! mixtures of experts. Where nothing else is said, tensors are contiguous, as on candle's other backends; results are in
//! the dtype of the input, one of f16, bf16, f32 and f64.

mod backward;
pub(crate) mod experts;
pub(crate) mod group_norm;
pub(crate) mod norm;
pub(crate) mod rope_cat;
pub(crate) mod rope_cat_sdpa;
pub(crate) mod rotary;
mod rows;
pub(crate) mod sigmoid;
pub(crate) mod softmax;

pub use crate::attention::{Attention, Axes, FullyMasked, Mask, Weights, sdpa, sdpa_backward, sdpa_with};
pub use backward::{
    MoeGradients, NormGradients, group_norm_backward, layer_norm_backward, moe_gemm_backward,
    rms_norm_backward, softmax_last_dim_backward,
};
pub use experts::moe_gemm;
pub use group_norm::{group_norm, group_norm_silu};
pub use norm::{AddNorm, add_layer_norm, add_rms_norm, layer_norm, rms_norm};
pub use rope_cat::{rope_cat, rope_i_cat};
pub use rope_cat_sdpa::{rope_cat_sdpa, rope_i_cat_sdpa};
pub use rotary::{rope, rope_i, rope_i_pair, rope_pair, rope_thd, rope_thd_pair};
pub use sigmoid::{sigmoid, sigmoid_backward};
pub use softmax::softmax_last_dim;
