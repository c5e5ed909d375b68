//! Recurrent language models, and hybrids of recurrence and attention.

use candle_core::{Result, Tensor};
use candle_rocm_models::{Weights, agrees, agrees_with, config, tokens};
use candle_transformers::models::{based, lfm2, mamba, mamba2, recurrent_gemma, rwkv_v5, rwkv_v6, rwkv_v7};
use serde_json::json;

use crate::decoders::check_decoder;

/// The tokens of a text, each as a tensor of shape (1, 1).
fn words(text: &Tensor) -> Result<Vec<Tensor>> {
    text.chunk(text.dim(1)?, 1)
}

#[test]
fn mamba() -> Result<()> {
    let config = mamba::Config { d_model: 32, n_layer: 2, vocab_size: 80, pad_vocab_size_multiple: 8 };
    agrees(|vb| {
        let text = tokens((1, 6), 80, &vb)?;
        let mut state = mamba::State::new(1, &config, vb.dtype(), vb.device())?;
        let model = mamba::Model::new(&config, vb)?;
        words(&text)?.iter().map(|word| model.forward(&word.squeeze(1)?, &mut state)).collect()
    })
}

/// A prompt in chunks, the last one partial, then one token at a time.
#[test]
fn mamba2() -> Result<()> {
    let config: mamba2::Config = config(json!({ "d_state": 24, "n_groups": 2 }))?;
    agrees(|vb| {
        let (prompt, more) = (tokens((1, 10), 80, &vb)?, tokens((1, 3), 80, &vb)?);
        let mut state = mamba2::State::new(1, &config, vb.dtype(), vb.device())?;
        let model = mamba2::Model::new(&config, vb)?;
        let mut results = vec![model.forward_prefill(&prompt, &mut state, 4)?];
        for word in words(&more)? {
            results.push(model.forward(&word.squeeze(1)?, &mut state)?);
        }
        Ok(results)
    })
}

fn rwkv() -> Result<rwkv_v5::Config> {
    config(json!({
        "attention_hidden_size": 64,
        "head_size": 16,
        "layer_norm_epsilon": 1e-5,
        "num_attention_heads": 16,
        "rescale_every": 1,
    }))
}

#[test]
fn rwkv_v5() -> Result<()> {
    let config = rwkv()?;
    agrees(|vb| {
        let text = tokens((1, 5), 80, &vb)?;
        let mut state = rwkv_v5::State::new(1, &config, vb.device())?;
        let model = rwkv_v5::Model::new(&config, vb)?;
        words(&text)?.iter().map(|word| model.forward(word, &mut state)).collect()
    })
}

#[test]
fn rwkv_v6() -> Result<()> {
    let config = rwkv()?;
    agrees(|vb| {
        let text = tokens((1, 5), 80, &vb)?;
        let mut state = rwkv_v6::State::new(1, &config, vb.device())?;
        let model = rwkv_v6::Model::new(&config, vb)?;
        words(&text)?.iter().map(|word| model.forward(word, &mut state)).collect()
    })
}

/// All variants: plain, with token-dependent gates (V7a), and with attention in addition to the recurrence (V7b).
#[test]
fn rwkv_v7() -> Result<()> {
    let weights = Weights {
        shapes: &[("w1", &[64, 8]), ("a1", &[64, 8]), ("v1", &[64, 4]), ("g1", &[64, 12])],
        ..Default::default()
    };
    for version in ["V7", "V7a", "V7b"] {
        let config: rwkv_v7::Config = config(json!({ "version": version, "head_size": 16 }))?;
        agrees_with(weights, |vb| {
            let mut state = rwkv_v7::State::new(&config, vb.device())?;
            let model = rwkv_v7::Model::new(&config, vb)?;
            [&[3u32, 14, 15, 9][..], &[26], &[53]]
                .iter()
                .map(|ids| model.forward_seq(ids, &mut state))
                .collect()
        })?;
    }
    Ok(())
}

#[test]
fn recurrent_gemma() -> Result<()> {
    let config: recurrent_gemma::Config = config(json!({
        "attention_window_size": 8,
        "block_types": ["recurrent", "attention"],
        "conv1d_width": 4,
        "hidden_activation": "gelu_pytorch_tanh",
        "logits_soft_cap": 30.,
        "lru_width": 64,
        "partial_rotary_factor": 0.5,
    }))?;
    check_decoder(|vb| recurrent_gemma::Model::new(&config, vb), recurrent_gemma::Model::forward)
}

#[test]
fn lfm2() -> Result<()> {
    let config = config::<lfm2::Lfm2Config>(json!({
        "block_ffn_dim_multiplier": 1.,
        "block_multiple_of": 16,
        "conv_L_cache": 3,

        "conv_bias": false,
        "layer_types": ["conv", "full_attention"],
        "norm_eps": 1e-5,
        "tie_embedding": true,
    }))?
    .into_config(false);
    check_decoder(
        |vb| Ok((lfm2::Cache::new(true, vb.dtype(), &config, vb.device())?, lfm2::Model::new(&config, vb)?)),
        |(cache, model), ids, at| model.forward(ids, at, cache),
    )
}

/// A layer each of convolution, linear attention and sliding-window attention.
#[test]
fn based() -> Result<()> {
    let config: based::Config = config(json!({
        "alt_mixer": { "feature_dim": 8, "feature_map": { "input_dim": 8 }, "num_heads": 4 },
        "alt_mixer_2": { "num_heads": 4, "window_size": 4 },
        "alt_mixer_2_layers": [2],
        "alt_mixer_layers": [1],
        "layer_norm_epsilon": 1e-5,
        "n_embd": 64,
        "n_head": 4,
        "n_inner": 128,
        "n_layer": 3,
    }))?;
    check_decoder(|vb| based::Model::new(&config, vb), based::Model::forward)
}
