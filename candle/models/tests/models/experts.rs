//! Decoders with mixtures of experts.

use candle_core::Result;
use candle_rocm_models::config;
use candle_transformers::models::{deepseek2, mixtral, qwen2_moe, qwen3_moe};
use serde_json::json;

use crate::decoders::check_decoder;

#[test]
fn mixtral() -> Result<()> {
    let config: mixtral::Config = config(json!({
        "num_experts_per_tok": 2,
        "num_local_experts": 4,
        "sliding_window": 4,
        "use_flash_attn": false,
    }))?;
    check_decoder(|vb| mixtral::Model::new(&config, vb), mixtral::Model::forward)
}

/// With a shared expert.
#[test]
fn qwen2_moe() -> Result<()> {
    let config: qwen2_moe::Config = config(json!({
        "decoder_sparse_step": 1,
        "max_window_layers": 2,
        "moe_intermediate_size": 48,
        "norm_topk_prob": false,
        "num_experts": 6,
        "num_experts_per_tok": 3,
        "shared_expert_intermediate_size": 72,
        "sliding_window": 32,
        "use_sliding_window": false,
    }))?;
    check_decoder(|vb| qwen2_moe::Model::new(&config, vb), qwen2_moe::Model::forward)
}

/// Experts in every second layer.
#[test]
fn qwen3_moe() -> Result<()> {
    let config: qwen3_moe::Config = config(json!({
        "decoder_sparse_step": 2,
        "max_window_layers": 2,
        "moe_intermediate_size": 48,
        "norm_topk_prob": true,
        "num_experts": 6,
        "num_experts_per_tok": 3,
        "use_sliding_window": false,
    }))?;
    check_decoder(|vb| qwen3_moe::ModelForCausalLM::new(&config, vb), qwen3_moe::ModelForCausalLM::forward)
}

/// Multi-head latent attention; a dense layer, then one with routed and shared experts.
#[test]
fn deepseek2() -> Result<()> {
    let config: deepseek2::DeepSeekV2Config = config(json!({
        "first_k_dense_replace": 1,
        "kv_lora_rank": 24,
        "moe_intermediate_size": 48,
        "n_group": 1,
        "n_routed_experts": 6,
        "n_shared_experts": 2,
        "num_experts_per_tok": 3,
        "q_lora_rank": 40,
        "qk_nope_head_dim": 16,
        "qk_rope_head_dim": 8,
        "topk_group": 1,
        "v_head_dim": 16,
    }))?;
    check_decoder(|vb| deepseek2::DeepSeekV2::new(&config, vb), deepseek2::DeepSeekV2::forward)
}
