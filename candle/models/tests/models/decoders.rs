//! Decoders with a KV cache.

use candle_core::{DType, Result, Tensor};
use candle_nn::VarBuilder;
use candle_rocm_models::{F16, F32, agrees_in, config, tokens};
use candle_transformers::models::smol::smollm3;
use candle_transformers::models::{
    bigcode, chatglm, codegeex4_9b, falcon, gemma, gemma2, gemma3, gemma4, glm4, glm4_new, granite,
    granitemoehybrid, helium, llama, llama2_c, mistral, mixformer, olmo, olmo2, phi, phi3, qwen2, qwen3,
    stable_lm, starcoder2,
};
use serde_json::json;

/// The logits of a prompt, then of one token at a time.
pub fn check_decoder<M>(
    load: impl Fn(VarBuilder) -> Result<M>,
    forward: impl Fn(&mut M, &Tensor, usize) -> Result<Tensor>,
) -> Result<()> {
    check_decoder_in(&[(DType::F32, F32)], load, forward)
}

fn check_decoder_in<M>(
    dtypes: &[(DType, f32)],
    load: impl Fn(VarBuilder) -> Result<M>,
    forward: impl Fn(&mut M, &Tensor, usize) -> Result<Tensor>,
) -> Result<()> {
    agrees_in(dtypes, |vb| {
        let text = tokens((1, 9), 80, &vb)?;
        let mut model = load(vb)?;
        let calls = [(0, 6), (6, 1), (7, 1), (8, 1)];
        calls.iter().map(|&(at, len)| forward(&mut model, &text.narrow(1, at, len)?, at)).collect()
    })
}

/// In half types too, whose rounding errors accumulate over two layers.
#[test]
fn llama() -> Result<()> {
    let config = config::<llama::LlamaConfig>(json!({}))?.into_config(false);
    check_decoder_in(
        &[(DType::F32, F32), (DType::F16, F16), (DType::BF16, 6e-2)],
        |vb| {
            Ok((llama::Cache::new(true, vb.dtype(), &config, vb.device())?, llama::Llama::load(vb, &config)?))
        },
        |(cache, model), ids, at| model.forward(ids, at, cache),
    )
}

#[test]
fn llama2_c() -> Result<()> {
    let config = llama2_c::Config {
        vocab_size: 80,
        dim: 64,
        hidden_dim: 96,
        n_layers: 2,
        ..llama2_c::Config::tiny_260k()
    };
    check_decoder(
        |vb| {
            let cache = llama2_c::Cache::new(true, &config, vb.pp("rot"))?;
            Ok((cache, llama2_c::Llama::load(vb, config.clone())?))
        },
        |(cache, model), ids, at| model.forward(ids, at, cache),
    )
}

#[test]
fn mistral_with_a_sliding_window() -> Result<()> {
    let config: mistral::Config = config(json!({ "sliding_window": 4 }))?;
    check_decoder(|vb| mistral::Model::new(&config, vb), mistral::Model::forward)
}

/// Seven query heads share one KV head.
#[test]
fn qwen2() -> Result<()> {
    let config: qwen2::Config = config(json!({
        "hidden_size": 56,
        "max_window_layers": 2,
        "num_attention_heads": 7,
        "num_key_value_heads": 1,
        "sliding_window": 32,
        "use_sliding_window": false,
    }))?;
    check_decoder(|vb| qwen2::ModelForCausalLM::new(&config, vb), qwen2::ModelForCausalLM::forward)
}

#[test]
fn qwen3() -> Result<()> {
    let config: qwen3::Config = config(json!({
        "max_window_layers": 2,
        "tie_word_embeddings": true,
        "use_sliding_window": false,
    }))?;
    check_decoder(|vb| qwen3::ModelForCausalLM::new(&config, vb), qwen3::ModelForCausalLM::forward)
}

#[test]
fn gemma() -> Result<()> {
    let config: gemma::Config = config(json!({ "hidden_act": "gelu_pytorch_tanh" }))?;
    check_decoder(|vb| gemma::Model::new(false, &config, vb), gemma::Model::forward)
}

#[test]
fn gemma2() -> Result<()> {
    let config: gemma2::Config = config(json!({
        "attn_logit_softcapping": 50.,
        "final_logit_softcapping": 30.,
        "hidden_activation": "gelu_pytorch_tanh",
        "query_pre_attn_scalar": 16,
        "sliding_window": 4,
    }))?;
    check_decoder(|vb| gemma2::Model::new(false, &config, vb), gemma2::Model::forward)
}

/// A layer with a sliding window, then a global one. With more KV heads, candle-transformers accepts no prompt: its cache rejects the
/// strides.
#[test]
fn gemma3() -> Result<()> {
    let config: gemma3::Config = config(json!({
        "hidden_activation": "gelu_pytorch_tanh",
        "num_key_value_heads": 1,
        "query_pre_attn_scalar": 16,
        "rope_local_base_freq": 1_000.,
        "sliding_window": 4,
        "sliding_window_pattern": 2,
    }))?;
    check_decoder(|vb| gemma3::Model::new(false, &config, vb), gemma3::Model::forward)
}

/// A layer with a sliding window, then a global one with larger heads and partial rotary embedding.
#[test]
fn gemma4() -> Result<()> {
    let config: gemma4::config::Gemma4TextConfig = config(json!({
        "final_logit_softcapping": 30.,
        "global_head_dim": 32,
        "layer_types": ["sliding_attention", "full_attention"],
        "sliding_window": 4,
        "tie_word_embeddings": true,
    }))?;
    check_decoder(|vb| gemma4::text::TextModel::new(&config, vb), gemma4::text::TextModel::forward)
}

#[test]
fn phi() -> Result<()> {
    let config: phi::Config = config(json!({ "partial_rotary_factor": 0.5, "qk_layernorm": false }))?;
    check_decoder(|vb| phi::Model::new(&config, vb), |model, ids, _| model.forward(ids))
}

#[test]
fn phi3() -> Result<()> {
    let config: phi3::Config = config(json!({}))?;
    check_decoder(|vb| phi3::Model::new(&config, vb), phi3::Model::forward)
}

#[test]
fn mixformer() -> Result<()> {
    let config: mixformer::Config = config(json!({
        "activation_function": "gelu_new",
        "layer_norm_epsilon": 1e-5,
        "n_embd": 64,
        "n_head": 4,
        "n_layer": 2,
        "n_positions": 32,
        "pad_vocab_size_multiple": 16,
        "rotary_dim": 8,
    }))?;
    check_decoder(
        |vb| mixformer::MixFormerSequentialForCausalLM::new(&config, vb),
        |model, ids, _| model.forward(ids),
    )
}

#[test]
fn stable_lm() -> Result<()> {
    let config: stable_lm::Config =
        config(json!({ "partial_rotary_factor": 0.25, "use_cache": true, "use_qkv_bias": true }))?;
    check_decoder(|vb| stable_lm::Model::new(&config, vb), stable_lm::Model::forward)
}

#[test]
fn starcoder2() -> Result<()> {
    let config: starcoder2::Config =
        config(json!({ "norm_epsilon": 1e-5, "sliding_window": 4, "use_bias": true }))?;
    check_decoder(|vb| starcoder2::Model::new(&config, vb), starcoder2::Model::forward)
}

/// Multi-query attention.
#[test]
fn bigcode() -> Result<()> {
    let config = || bigcode::Config {
        vocab_size: 80,
        max_position_embeddings: 32,
        num_hidden_layers: 2,
        hidden_size: 64,
        layer_norm_epsilon: 1e-5,
        n_inner: Some(96),
        num_attention_heads: 4,
        multi_query: true,
        use_cache: true,
    };
    check_decoder(|vb| bigcode::GPTBigCode::load(vb, config()), bigcode::GPTBigCode::forward)
}

#[test]
fn falcon() -> Result<()> {
    let config = falcon::Config {
        vocab_size: 80,
        hidden_size: 64,
        num_hidden_layers: 2,
        num_attention_heads: 4,
        ..falcon::Config::falcon7b()
    };
    check_decoder(|vb| falcon::Falcon::load(vb, config.clone()), |model, ids, _| model.forward(ids))
}

#[test]
fn olmo() -> Result<()> {
    let config: olmo::Config = config(json!({ "clip_qkv": 1. }))?;
    check_decoder(|vb| olmo::Model::new(&config, vb), olmo::Model::forward)
}

#[test]
fn olmo2() -> Result<()> {
    let config: olmo2::Config = config(json!({}))?;
    check_decoder(|vb| olmo2::Model::new(&config, vb), olmo2::Model::forward)
}

#[test]
fn helium() -> Result<()> {
    let config: helium::Config =
        config(json!({ "bos_token_id": 1, "eos_token_id": 2, "mlp_bias": false, "use_flash_attn": false }))?;
    check_decoder(|vb| helium::Model::new(&config, vb), helium::Model::forward)
}

#[test]
fn granite() -> Result<()> {
    let config = config::<granite::GraniteConfig>(json!({}))?.into_config(false);
    check_decoder(
        |vb| {
            let cache = granite::Cache::new(true, vb.dtype(), &config, vb.device())?;
            Ok((cache, granite::Granite::load(vb, &config)?))
        },
        |(cache, model), ids, at| model.forward(ids, at, cache),
    )
}

/// Attention layers only: candle-transformers does not support Mamba layers here.
#[test]
fn granite_moe_hybrid() -> Result<()> {
    let config = config::<granitemoehybrid::GraniteMoeHybridConfig>(json!({
        "attention_multiplier": 0.25,
        "embedding_multiplier": 12.,
        "layer_types": ["attention", "attention"],
        "logits_scaling": 8.,
        "residual_multiplier": 0.22,
        "shared_intermediate_size": 96,
    }))?
    .into_config(false);
    check_decoder(
        |vb| {
            let cache = granitemoehybrid::GraniteMoeHybridCache::new(true, vb.dtype(), &config, vb.device())?;
            Ok((cache, granitemoehybrid::GraniteMoeHybrid::load(vb, &config)?))
        },
        |(cache, model), ids, at| model.forward(ids, at, cache),
    )
}

/// Every second layer has no rotary embedding.
#[test]
fn smollm3() -> Result<()> {
    let config: smollm3::Config = config(json!({ "no_rope_layer_interval": 2 }))?;
    check_decoder(|vb| smollm3::ModelForCausalLM::new(&config, vb), smollm3::ModelForCausalLM::forward)
}

#[test]
fn glm4_0414() -> Result<()> {
    let config: glm4_new::Config = config(json!({ "attention_bias": true, "partial_rotary_factor": 0.5 }))?;
    check_decoder(|vb| glm4_new::ModelForCausalLM::new(&config, vb), glm4_new::ModelForCausalLM::forward)
}

/// The fields that CodeGeeX 4 and the first GLM 4 share.
fn glm() -> serde_json::Value {
    json!({
        "add_bias_linear": false,
        "add_qkv_bias": true,
        "apply_query_key_layer_scaling": true,
        "apply_residual_connection_post_layernorm": false,
        "attention_softmax_in_fp32": true,
        "bias_dropout_fusion": true,
        "ffn_hidden_size": 96,
        "fp32_residual_connection": false,
        "kv_channels": 16,
        "layernorm_epsilon": 1e-5,
        "multi_query_attention": true,
        "multi_query_group_num": 2,
        "num_layers": 2,
        "padded_vocab_size": 80,
        "post_layer_norm": true,
        "rmsnorm": true,
        "rope_ratio": 1,
        "seq_length": 32,
    })
}

#[test]
fn glm4() -> Result<()> {
    let config: glm4::Config = config(glm())?;
    check_decoder(|vb| glm4::Model::new(&config, vb), |model, ids, _| model.forward(ids))
}

#[test]
fn codegeex4() -> Result<()> {
    let config: codegeex4_9b::Config = config(glm())?;
    check_decoder(|vb| codegeex4_9b::Model::new(&config, vb), |model, ids, _| model.forward(ids))
}

#[test]
fn chatglm() -> Result<()> {
    let config = chatglm::Config {
        num_layers: 2,
        padded_vocab_size: 80,
        hidden_size: 64,
        ffn_hidden_size: 96,
        kv_channels: 16,
        num_attention_heads: 4,
        seq_length: 32,
        ..chatglm::Config::glm3_6b()
    };
    check_decoder(|vb| chatglm::Model::new(&config, vb), |model, ids, _| model.forward(ids))
}
