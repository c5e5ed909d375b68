//! Encoder-decoder language models.

use candle_core::Result;
use candle_rocm_models::{agrees, tokens};
use candle_transformers::models::{marian, t5};

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
    agrees(|vb| {
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
fn marian() -> Result<()> {
    let config = marian::Config {
        vocab_size: 80,
        decoder_vocab_size: Some(80),
        d_model: 48,
        max_position_embeddings: 32,
        encoder_layers: 2,
        encoder_attention_heads: 3,
        encoder_ffn_dim: 64,
        decoder_layers: 2,
        decoder_attention_heads: 3,
        decoder_ffn_dim: 64,
        ..marian::Config::opus_mt_fr_en()
    };
    agrees(|vb| {
        let ids = tokens((1, 9), 80, &vb)?;
        let mut model = marian::MTModel::new(&config, vb)?;
        let encoded = model.encoder().forward(&ids, 0)?;
        let mut results = vec![encoded.clone(), model.decode(&ids.narrow(1, 0, 4)?, &encoded, 0)?];
        for step in 4..7 {
            results.push(model.decode(&ids.narrow(1, step, 1)?, &encoded, step)?);
        }
        Ok(results)
    })
}
