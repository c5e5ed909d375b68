//! Audio and speech models.

use candle_core::{Module, Result, Tensor};
use candle_rocm_models::{agrees, config, numbers, tokens};
use candle_transformers::models::metavoice::transformer as metavoice;
use candle_transformers::models::mimi;
use candle_transformers::models::{dac, encodec, parler_tts, snac, whisper};
use serde_json::json;

#[test]
fn whisper() -> Result<()> {
    let config = whisper::Config {
        num_mel_bins: 16,
        max_source_positions: 20,
        d_model: 32,
        encoder_attention_heads: 2,
        encoder_layers: 2,
        vocab_size: 60,
        max_target_positions: 12,
        decoder_attention_heads: 2,
        decoder_layers: 2,
        suppress_tokens: Vec::new(),
    };
    agrees(|vb| {
        let (mel, ids) = (numbers((1, 16, 40), 6, &vb)?, tokens((1, 5), 60, &vb)?);
        let mut model = whisper::model::Whisper::load(&vb, config.clone())?;
        let heard = model.encoder.forward(&mel, true)?;
        let said = model.decoder.forward(&ids, &heard, true)?;
        Ok(vec![heard, model.decoder.final_linear(&said)?])
    })
}

/// The codes are compared too: the same entries of the codebooks must be the nearest.
#[test]
fn encodec() -> Result<()> {
    let config = encodec::Config {
        target_bandwidths: vec![4.],
        sampling_rate: 1600,
        hidden_size: 16,
        num_filters: 4,
        upsampling_ratios: vec![4, 2],
        codebook_size: 32,
        ..Default::default()
    };
    agrees(|vb| {
        let sound = numbers((1, 1, 128), 5, &vb)?;
        let model = encodec::Model::new(&config, vb)?;
        let codes = model.encode(&sound)?;
        let decoded = model.decode(&codes)?;
        Ok(vec![codes, decoded])
    })
}

#[test]
fn mimi() -> Result<()> {
    let mut config = mimi::Config::v0_1(Some(4));
    config.sample_rate = 1600.;
    config.frame_rate = 100.;
    config.seanet = mimi::seanet::Config { dimension: 32, n_filters: 4, ratios: vec![4, 2], ..config.seanet };
    config.transformer = mimi::transformer::Config {
        d_model: 32,
        num_heads: 2,
        num_layers: 2,
        context: 8,
        max_seq_len: 64,
        dim_feedforward: 48,
        ..config.transformer
    };
    config.quantizer_bins = 32;
    config.quantizer_dim = 16;
    agrees(|vb| {
        let sound = numbers((1, 1, 192), 5, &vb)?;
        let mut model = mimi::Model::new(config.clone(), vb)?;
        let codes = model.encode(&sound)?;
        let decoded = model.decode(&codes)?;
        Ok(vec![model.encode_pre_quantize(&sound)?, codes, decoded])
    })
}

#[test]
fn snac() -> Result<()> {
    let config: snac::Config = config(json!({
        "attn_window_size": 4,
        "codebook_dim": 8,
        "codebook_size": 32,
        "decoder_dim": 64,
        "decoder_rates": [4, 2],
        "depthwise": false,
        "encoder_dim": 16,
        "encoder_rates": [2, 4],
        // Random, so it differs between devices.
        "noise": false,
        "sampling_rate": 1600,
        "vq_strides": [4, 2, 1],
    }))?;
    agrees(|vb| {
        let sound = numbers((1, 1, 250), 5, &vb)?;
        let model = snac::Model::new(&config, vb)?;
        let codes = model.encode(&sound)?;
        let decoded = model.decode(&codes.iter().collect::<Vec<_>>())?;
        Ok([codes, vec![decoded]].concat())
    })
}

/// Its parts, in a small size: the assembled model's sizes are fixed.
#[test]
fn dac() -> Result<()> {
    agrees(|vb| {
        let codes = Tensor::stack(&[tokens((1, 6), 32, &vb)?, tokens((1, 6), 31, &vb)?], 1)?;
        let quantizer = dac::ResidualVectorQuantizer::new(24, 2, 32, 8, vb.pp("quantizer"))?;
        let decoder = dac::Decoder::new(24, 32, &[4, 2], 1, vb.pp("decoder"))?;
        let encoder = dac::Encoder::new(8, &[2, 4], 24, vb.pp("encoder"))?;
        let sound = decoder.forward(&quantizer.from_codes(&codes)?)?;
        Ok(vec![encoder.forward(&sound)?, sound])
    })
}

#[test]
fn parler_tts_decoder() -> Result<()> {
    let config: parler_tts::DecoderConfig = config(json!({
        "activation_function": "gelu",
        "bos_token_id": 1,
        "eos_token_id": 2,
        "ffn_dim": 96,
        "num_codebooks": 3,
        "pad_token_id": 0,
        "rope_embeddings": false,
        "scale_embedding": false,
    }))?;
    agrees(|vb| {
        let description = numbers((1, 7, 64), 5, &vb)?;
        let codes = tokens((1, 3, 6), 80, &vb)?;
        let mut model = parler_tts::Decoder::new(&config, vb)?;
        let mut results = Vec::new();
        for (at, len) in [(0, 1), (1, 1), (2, 1)] {
            results.extend(model.forward(&codes.narrow(2, at, len)?, None, None, &description, None, at)?);
        }
        Ok(results)
    })
}

#[test]
fn metavoice() -> Result<()> {
    let config = metavoice::Config {
        block_size: 32,
        vocab_size: 80,
        n_layer: 2,
        n_head: 4,
        dim: 64,
        speaker_emb_dim: 24,
        intermediate_size: Some(96),
        n_local_heads: Some(2),
        norm_eps: 1e-5,
    };
    agrees(|vb| {
        // Classifier-free guidance needs a batch of two.
        let (text, speaker) = (tokens((2, 8), 80, &vb)?, numbers((1, 24), 5, &vb)?);
        let mut model = metavoice::Model::new(&config, vb)?;
        [(0, 6), (6, 1), (7, 1)]
            .into_iter()
            .map(|(at, len)| model.forward(&text.narrow(1, at, len)?, &speaker, at))
            .collect()
    })
}
