//! Language models: BERT, Llama, Qwen2, Mistral, T5, Mamba.

use candle_core::{DType, Result, Tensor};
use candle_nn::Activation;
use candle_rocm_models::{agrees, agrees_in, tokens};
use candle_transformers::models::{bert, llama, mamba, mistral, qwen2, t5};

/// f32 differs by the order of sums; what half types lose in each of two layers shows in the logits.
const TOLERANCES: [(DType, f32); 3] = [(DType::F32, 1e-4), (DType::F16, 1e-2), (DType::BF16, 6e-2)];
const F32: f32 = 1e-4;

#[test]
fn bert() -> Result<()> {
    let config = bert::Config {
        vocab_size: 100,
        hidden_size: 48,
        num_hidden_layers: 2,
        num_attention_heads: 3,
        intermediate_size: 96,
        max_position_embeddings: 32,
        ..Default::default()
    };
    // Half types are beyond this model: it multiplies its mask with f32's lowest number, which is infinite there.
    agrees(F32, |vb| {
        let ids = tokens((2, 11), 100, &vb)?;
        let mask = Tensor::new(&[[1u32; 11], [1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0]], vb.device())?;
        let model = bert::BertModel::load(vb, &config)?;
        Ok(vec![model.forward(&ids, &ids.zeros_like()?, Some(&mask))?])
    })
}

/// A prompt, then word after word with a cache of keys and values.
fn steps(prompt: &Tensor, mut forward: impl FnMut(&Tensor, usize) -> Result<Tensor>) -> Result<Vec<Tensor>> {
    let len = prompt.dim(1)?;
    let mut logits = vec![forward(&prompt.narrow(1, 0, len - 3)?, 0)?];
    for at in len - 3..len {
        logits.push(forward(&prompt.narrow(1, at, 1)?, at)?);
    }
    Ok(logits)
}

#[test]
fn llama_with_a_cache() -> Result<()> {
    let config = llama::Config {
        hidden_size: 64,
        intermediate_size: 96,
        vocab_size: 80,
        num_hidden_layers: 2,
        num_attention_heads: 4,
        num_key_value_heads: 2,
        use_flash_attn: false,
        rms_norm_eps: 1e-5,
        rope_theta: 10_000.,
        bos_token_id: None,
        eos_token_id: None,
        rope_scaling: None,
        max_position_embeddings: 32,
        tie_word_embeddings: false,
    };
    agrees_in(&TOLERANCES, |vb| {
        let prompt = tokens((1, 9), 80, &vb)?;
        let mut cache = llama::Cache::new(true, vb.dtype(), &config, vb.device())?;
        let model = llama::Llama::load(vb, &config)?;
        steps(&prompt, |ids, at| model.forward(ids, at, &mut cache))
    })
}

#[test]
fn qwen2_with_a_cache() -> Result<()> {
    let config = qwen2::Config {
        vocab_size: 80,
        hidden_size: 56,
        intermediate_size: 96,
        num_hidden_layers: 2,
        num_attention_heads: 7,
        num_key_value_heads: 1,
        max_position_embeddings: 32,
        sliding_window: 32,
        max_window_layers: 2,
        tie_word_embeddings: false,
        rope_theta: 10_000.,
        rms_norm_eps: 1e-6,
        use_sliding_window: false,
        hidden_act: Activation::Silu,
    };
    agrees(F32, |vb| {
        let prompt = tokens((2, 8), 80, &vb)?;
        let mut model = qwen2::ModelForCausalLM::new(&config, vb)?;
        steps(&prompt, |ids, at| model.forward(ids, at))
    })
}

#[test]
fn mistral_with_a_sliding_window() -> Result<()> {
    let config = mistral::Config {
        vocab_size: 80,
        hidden_size: 64,
        intermediate_size: 96,
        num_hidden_layers: 2,
        num_attention_heads: 4,
        head_dim: None,
        num_key_value_heads: 2,
        hidden_act: Activation::Silu,
        max_position_embeddings: 32,
        rms_norm_eps: 1e-5,
        rope_theta: 10_000.,
        sliding_window: Some(4),
        use_flash_attn: false,
    };
    agrees(F32, |vb| {
        let prompt = tokens((1, 9), 80, &vb)?;
        let mut model = mistral::Model::new(&config, vb)?;
        steps(&prompt, |ids, at| model.forward(ids, at))
    })
}

#[test]
fn t5() -> Result<()> {
    let config = t5::Config {
        vocab_size: 80,
        d_model: 48,
        d_kv: 16,
        d_ff: 64,
        num_layers: 2,
        num_heads: 3,
        ..Default::default()
    };
    agrees(F32, |vb| {
        let ids = tokens((1, 13), 80, &vb)?;
        let mut model = t5::T5ForConditionalGeneration::load(vb, &config)?;
        let encoded = model.encode(&ids)?;
        let mut results = vec![encoded.clone()];
        for step in 0..3 {
            results.push(model.decode(&ids.narrow(1, step, 1)?, &encoded)?);
        }
        Ok(results)
    })
}

#[test]
fn mamba() -> Result<()> {
    let config = mamba::Config { d_model: 32, n_layer: 2, vocab_size: 60, pad_vocab_size_multiple: 8 };
    agrees(F32, |vb| {
        let ids = tokens((1, 6), 60, &vb)?;
        let mut state = mamba::State::new(1, &config, vb.dtype(), vb.device())?;
        let model = mamba::Model::new(&config, vb)?;
        (0..6).map(|step| model.forward(&ids.narrow(1, step, 1)?.squeeze(1)?, &mut state)).collect()
    })
}
