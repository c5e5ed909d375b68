//! The operations for which candle-nn has its own kernels: the logistic function, softmax, norms, rotary embeddings, attention, mixtures of
//! experts. Unless stated otherwise, tensors must be contiguous, as on candle's other backends, and results have the dtype of the input,
//! which is f16, bf16, f32 or f64.

mod backward;
pub(crate) mod decoder_step;
pub(crate) mod experts;
pub(crate) mod group_norm;
pub(crate) mod norm;
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
pub use group_norm::group_norm;
pub use norm::{AddNorm, layer_norm, rms_norm};
pub use rotary::{rope, rope_i, rope_thd};
pub use sigmoid::{sigmoid, sigmoid_backward};
pub use softmax::softmax_last_dim;
