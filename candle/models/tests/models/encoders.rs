//! Encoders: BERT and its descendants.

use candle_core::{Module, Result, Tensor};
use candle_nn::VarBuilder;
use candle_rocm_models::{agrees, config, tokens};
use candle_transformers::models::{
    bert, debertav2, distilbert, jina_bert, modernbert, nomic_bert, stella_en_v5, xlm_roberta,
};
use serde_json::json;

/// A batch of two texts, the second padded: token ids and attention mask.
pub(super) fn texts(vb: &VarBuilder) -> Result<[Tensor; 2]> {
    let mask = [[1u32; 11], [1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0]];
    Ok([tokens((2, 11), 80, vb)?, Tensor::new(&mask, vb.device())?])
}

pub(super) fn bert_config() -> Result<bert::Config> {
    config(json!({
        "hidden_act": "gelu",
        "hidden_dropout_prob": 0.,
        "initializer_range": 0.02,
        "pad_token_id": 0,
        "type_vocab_size": 2,
    }))
}

fn check_encoder<M>(
    load: impl Fn(VarBuilder) -> Result<M>,
    forward: impl Fn(&mut M, &Tensor, &Tensor) -> Result<Tensor>,
) -> Result<()> {
    // f32 only: most of these models multiply their mask by f32::MIN, which overflows half types.
    agrees(|vb| {
        let [ids, mask] = texts(&vb)?;
        Ok(vec![forward(&mut load(vb)?, &ids, &mask)?])
    })
}

#[test]
fn bert() -> Result<()> {
    let config = bert_config()?;
    check_encoder(
        |vb| bert::BertModel::load(vb, &config),
        |model, ids, mask| model.forward(ids, &ids.zeros_like()?, Some(mask)),
    )
}

#[test]
fn distilbert() -> Result<()> {
    let config: distilbert::Config = config(json!({
        "dim": 64,
        "n_layers": 2,
        "n_heads": 4,
        "hidden_dim": 96,
        "activation": "gelu",
        "initializer_range": 0.02,
        "pad_token_id": 0,
    }))?;
    check_encoder(
        |vb| distilbert::DistilBertModel::load(vb, &config),
        // Its mask is inverted.
        |model, ids, mask| model.forward(ids, &mask.eq(0u32)?.unsqueeze(1)?.unsqueeze(1)?),
    )
}

#[test]
fn xlm_roberta() -> Result<()> {
    let config: xlm_roberta::Config = config(json!({
        "attention_probs_dropout_prob": 0.,
        "hidden_act": "gelu",
        "hidden_dropout_prob": 0.,
        "pad_token_id": 1,
        "position_embedding_type": "absolute",
        "type_vocab_size": 1,
    }))?;
    check_encoder(
        |vb| xlm_roberta::XLMRobertaForMaskedLM::new(&config, vb),
        |model, ids, mask| model.forward(ids, mask, &ids.zeros_like()?, None, None, None),
    )
}

/// A layer with local attention between global ones.
#[test]
fn modernbert() -> Result<()> {
    let config: modernbert::Config = config(json!({
        "global_attn_every_n_layers": 2,
        "global_rope_theta": 10_000.,
        "local_attention": 4,
        "local_rope_theta": 1_000.,
        "num_hidden_layers": 3,
        "pad_token_id": 0,
    }))?;
    check_encoder(
        |vb| modernbert::ModernBertForMaskedLM::load(vb, &config),
        |model, ids, mask| model.forward(ids, mask),
    )
}

#[test]
fn debertav2() -> Result<()> {
    let config: debertav2::Config = config(json!({
        "attention_probs_dropout_prob": 0.,
        "hidden_act": "gelu",
        "hidden_dropout_prob": 0.,
        "initializer_range": 0.02,
        "max_relative_positions": -1,
        "norm_rel_ebd": "layer_norm",
        "pos_att_type": "p2c|c2p",
        "position_biased_input": false,
        "position_buckets": 8,
        "relative_attention": true,
        "share_att_key": true,
        "type_vocab_size": 0,
    }))?;
    check_encoder(
        |vb| debertav2::DebertaV2Model::load(vb, &config),
        |model, ids, mask| model.forward(ids, None, Some(mask.clone())),
    )
}

#[test]
fn jina_bert_with_alibi() -> Result<()> {
    let config: jina_bert::Config = config(json!({
        "hidden_act": "gelu",
        "initializer_range": 0.02,
        "pad_token_id": 0,
        "position_embedding_type": "alibi",
        "type_vocab_size": 2,
    }))?;
    check_encoder(|vb| jina_bert::BertModel::new(vb, &config), |model, ids, _| model.forward(ids))
}

#[test]
fn nomic_bert() -> Result<()> {
    let config: nomic_bert::Config = config(json!({
        "n_embd": 64,
        "n_head": 4,
        "n_inner": 96,
        "n_layer": 2,
        "n_positions": 32,
    }))?;
    check_encoder(
        |vb| nomic_bert::NomicBertModel::load(vb, &config),
        |model, ids, mask| nomic_bert::mean_pooling(&model.forward(ids, None, Some(mask))?, mask),
    )
}

/// Both architectures: 1.5B and 400M.
#[test]
fn stella() -> Result<()> {
    for (variant, activation) in [("Large", "silu"), ("Small", "gelu")] {
        let config: stella_en_v5::Config = config(json!({
            "activation_fn": activation,
            "embed_head": { "in_features": 64, "out_features": 24 },
            "norm_eps": 1e-6,
            "scaling_factor": 1.,
            "type_vocab_size": 2,
            "variant": variant,
        }))?;
        check_encoder(
            |vb| stella_en_v5::EmbeddingModel::new(&config, vb.clone(), vb.pp("head")),
            |model, ids, mask| model.forward_norm(ids, mask),
        )?;
    }
    Ok(())
}
