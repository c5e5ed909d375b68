//! Vision-language models.

use candle_core::{Module, Result};
use candle_rocm_models::{Weights, agrees, agrees_with, config, numbers, small, tokens};
use candle_transformers::models::chinese_clip::text_model::ChineseClipTextConfig;
use candle_transformers::models::chinese_clip::vision_model::ChineseClipVisionConfig;
use candle_transformers::models::chinese_clip::{ChineseClipConfig, ChineseClipModel};
use candle_transformers::models::clip::text_model::{Activation as ClipActivation, ClipTextConfig};
use candle_transformers::models::clip::vision_model::ClipVisionConfig;
use candle_transformers::models::{
    blip, clip, colpali, moondream, openclip, paligemma, pixtral, siglip, trocr, vit,
};
use serde_json::json;

#[test]
fn clip() -> Result<()> {
    let config = clip::ClipConfig {
        text_config: ClipTextConfig {
            vocab_size: 60,
            embed_dim: 32,
            activation: ClipActivation::QuickGelu,
            intermediate_size: 64,
            max_position_embeddings: 16,
            pad_with: None,
            num_hidden_layers: 2,
            num_attention_heads: 2,
            projection_dim: 24,
        },
        vision_config: ClipVisionConfig {
            embed_dim: 48,
            activation: ClipActivation::QuickGelu,
            intermediate_size: 64,
            num_hidden_layers: 2,
            num_attention_heads: 3,
            projection_dim: 24,
            num_channels: 3,
            image_size: 24,
            patch_size: 8,
        },
        logit_scale_init_value: 2.6592,
        image_size: 24,
    };
    agrees(|vb| {
        let (images, texts) = (numbers((2, 3, 24, 24), 1, &vb)?, tokens((2, 9), 60, &vb)?);
        let model = clip::ClipModel::new(vb, &config)?;
        let (by_text, by_image) = model.forward(&images, &texts)?;
        Ok(vec![by_text, by_image, model.get_text_features(&texts)?, model.get_image_features(&images)?])
    })
}

#[test]
fn openclip_text() -> Result<()> {
    let config = openclip::text_model::Config {
        vocab_size: 80,
        embed_dim: 64,
        intermediate_size: 96,
        max_position_embeddings: 16,
        pad_with: None,
        num_hidden_layers: 2,
        num_attention_heads: 4,
        projection_dim: 24,
    };
    agrees(|vb| {
        let texts = tokens((2, 9), 80, &vb)?;
        let model = openclip::text_model::OpenClipTextTransformer::new(vb, &config)?;
        Ok(vec![Module::forward(&model, &texts)?])
    })
}

#[test]
fn chinese_clip() -> Result<()> {
    let config = ChineseClipConfig {
        text_config: ChineseClipTextConfig {
            vocab_size: 80,
            hidden_size: 64,
            num_hidden_layers: 2,
            num_attention_heads: 4,
            intermediate_size: 96,
            max_position_embeddings: 16,
            ..Default::default()
        },
        vision_config: ChineseClipVisionConfig {
            hidden_size: 48,
            intermediate_size: 64,
            projection_dim: 24,
            num_hidden_layers: 2,
            num_attention_heads: 3,
            image_size: 24,
            patch_size: 8,
            ..Default::default()
        },
        projection_dim: 24,
        logit_scale_init_value: 2.6592,
        image_size: 24,
    };
    // The files have no pooler.
    let weights = Weights { without: &["pooler"], ..Default::default() };
    agrees_with(weights, |vb| {
        let (images, texts) = (numbers((2, 3, 24, 24), 1, &vb)?, tokens((2, 9), 80, &vb)?);
        let model = ChineseClipModel::new(vb, &config)?;
        Ok(vec![model.get_text_features(&texts, None, None)?, model.get_image_features(&images)?])
    })
}

#[test]
fn siglip() -> Result<()> {
    let text = small(
        json!({ "hidden_act": "gelu_pytorch_tanh", "pad_token_id": 1, "bos_token_id": 2, "eos_token_id": 3 }),
    );
    let vision = small(json!({ "hidden_act": "gelu_pytorch_tanh" }));
    let config: siglip::Config = config(json!({ "text_config": text, "vision_config": vision }))?;
    agrees(|vb| {
        let (images, texts) = (numbers((2, 3, 24, 24), 1, &vb)?, tokens((2, 32), 80, &vb)?);
        let model = siglip::Model::new(&config, vb)?;
        let (by_text, by_image) = model.forward(&images, &texts)?;
        Ok(vec![by_text, by_image, model.get_text_features(&texts)?, model.get_image_features(&images)?])
    })
}

/// An image, then its caption one token at a time.
#[test]
fn blip() -> Result<()> {
    let text = small(json!({
        "encoder_hidden_size": 64,
        "hidden_act": "gelu",
        "is_decoder": true,
        "projection_dim": 24,
    }));
    let vision = small(json!({ "hidden_act": "gelu", "projection_dim": 24 }));
    let config: blip::Config = config(json!({
        "image_text_hidden_size": 64,
        "projection_dim": 24,
        "text_config": text,
        "vision_config": vision,
    }))?;
    agrees(|vb| {
        let (image, text) = (numbers((1, 3, 24, 24), 1, &vb)?, tokens((1, 6), 80, &vb)?);
        let mut model = blip::BlipForConditionalGeneration::new(&config, vb)?;
        let features = model.vision_model().forward(&image)?;
        let mut results = vec![features.clone()];
        for (at, len) in [(0, 4), (4, 1), (5, 1)] {
            results.push(model.text_decoder().forward(&text.narrow(1, at, len)?, &features)?);
        }
        Ok(results)
    })
}

#[test]
fn trocr() -> Result<()> {
    let encoder: vit::Config = config(json!({ "hidden_act": "gelu", "qkv_bias": false }))?;
    let decoder = trocr::TrOCRConfig {
        vocab_size: 80,
        d_model: 48,
        cross_attention_hidden_size: 64,
        decoder_layers: 2,
        decoder_attention_heads: 3,
        decoder_ffn_dim: 64,
        max_position_embeddings: 32,
        ..Default::default()
    };
    agrees(|vb| {
        let (image, text) = (numbers((1, 3, 24, 24), 1, &vb)?, tokens((1, 6), 80, &vb)?);
        let mut model = trocr::TrOCRModel::new(&encoder, &decoder, vb)?;
        let features = model.encoder().forward(&image)?;
        let mut results = vec![features.clone()];
        for (at, len) in [(0, 1), (1, 1), (2, 1)] {
            results.push(model.decode(&text.narrow(1, at, len)?, &features, at)?);
        }
        Ok(results)
    })
}

#[test]
fn moondream() -> Result<()> {
    let phi = json!({
        "activation_function": "gelu_new",
        "layer_norm_epsilon": 1e-5,
        "n_embd": 64,
        "n_head": 4,
        "n_layer": 2,
        "n_positions": 64,
        "pad_vocab_size_multiple": 16,
        "rotary_dim": 8,
        "tie_word_embeddings": false,
        "vocab_size": 80,
    });
    // The width of the patch embedding is fixed.
    let vision = json!({
        "act": "gelu_pytorch_tanh",
        "embed_dim": 1152,
        "embed_len": 9,
        "hidden_dim": 96,
        "hidden_features": 64,
        "image_embedding_dim": 1152,
        "model_dim": 64,
        "num_blocks": 1,
        "num_heads": 4,
    });
    let config: moondream::Config = config(json!({ "phi_config": phi, "vision_config": vision }))?;
    agrees(|vb| {
        let (image, text) = (numbers((1, 3, 42, 42), 1, &vb)?, tokens((1, 6), 80, &vb)?);
        let mut model = moondream::Model::new(&config, vb)?;
        let features = model.vision_encoder().forward(&image)?;
        let first =
            model.text_model().forward_with_img(&text.narrow(1, 0, 1)?, &text.narrow(1, 1, 4)?, &features)?;
        let next = model.text_model().forward(&text.narrow(1, 5, 1)?)?;
        Ok(vec![features, first, next])
    })
}

fn paligemma_config() -> Result<paligemma::Config> {
    let text = small(json!({ "hidden_act": "gelu_pytorch_tanh" }));
    let vision = small(json!({ "hidden_act": "gelu_pytorch_tanh" }));
    config(json!({ "projection_dim": 64, "text_config": text, "vision_config": vision }))
}

#[test]
fn paligemma() -> Result<()> {
    let config = paligemma_config()?;
    agrees(|vb| {
        let (image, text) = (numbers((1, 3, 24, 24), 1, &vb)?, tokens((1, 6), 80, &vb)?);
        let mut model = paligemma::Model::new(&config, vb)?;
        let first = model.setup(&image, &text.narrow(1, 0, 5)?)?;
        Ok(vec![first, model.forward(&text.narrow(1, 5, 1)?)?])
    })
}

#[test]
fn colpali() -> Result<()> {
    let config = paligemma_config()?;
    agrees(|vb| {
        let (image, text) = (numbers((1, 3, 24, 24), 1, &vb)?, tokens((1, 6), 80, &vb)?);
        let mut model = colpali::Model::new(&config, vb)?;
        Ok(vec![model.forward_images(&image, &text)?, model.forward_text(&text)?])
    })
}

#[test]
fn pixtral() -> Result<()> {
    let config: pixtral::llava::Config = config(json!({
        "image_seq_length": 6,
        "image_token_index": 10,
        "projector_hidden_act": "gelu",
        "text_config": small(json!({ "use_flash_attn": false })),
        "vision_config": small(json!({ "image_size": 32 })),
    }))?;
    agrees(|vb| {
        let (image, text) = (numbers((1, 3, 16, 24), 1, &vb)?, tokens((1, 6), 80, &vb)?);
        let mut model = pixtral::llava::Model::new(&config, vb)?;
        let features = model.encode_image(&image)?;
        let first = model.lm_forward_embeds(&features)?;
        Ok(vec![features, first, model.lm_forward(&text.narrow(1, 0, 1)?)?])
    })
}
