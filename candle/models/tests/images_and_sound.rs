//! Models of images and sound: CLIP, ResNet, Stable Diffusion's UNet and VAE, Whisper.

use candle_core::{Module, Result};
use candle_rocm_models::{agrees, numbers, tokens};
use candle_transformers::models::clip::text_model::{Activation, ClipTextConfig};
use candle_transformers::models::clip::vision_model::ClipVisionConfig;
use candle_transformers::models::stable_diffusion::unet_2d::{
    BlockConfig, UNet2DConditionModel, UNet2DConditionModelConfig,
};
use candle_transformers::models::stable_diffusion::vae::{AutoEncoderKL, AutoEncoderKLConfig};
use candle_transformers::models::{clip, resnet, whisper};

/// f32 differs by the order of sums.
const TOLERANCE: f32 = 1e-4;

#[test]
fn clip() -> Result<()> {
    let config = clip::ClipConfig {
        text_config: ClipTextConfig {
            vocab_size: 60,
            embed_dim: 32,
            activation: Activation::QuickGelu,
            intermediate_size: 64,
            max_position_embeddings: 16,
            pad_with: None,
            num_hidden_layers: 2,
            num_attention_heads: 2,
            projection_dim: 24,
        },
        vision_config: ClipVisionConfig {
            embed_dim: 48,
            activation: Activation::QuickGelu,
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
    agrees(TOLERANCE, |vb| {
        let (images, texts) = (numbers((2, 3, 24, 24), 1, &vb)?, tokens((2, 9), 60, &vb)?);
        let model = clip::ClipModel::new(vb, &config)?;
        let (by_text, by_image) = model.forward(&images, &texts)?;
        Ok(vec![by_text, by_image, model.get_text_features(&texts)?, model.get_image_features(&images)?])
    })
}

#[test]
fn resnet18() -> Result<()> {
    agrees(TOLERANCE, |vb| {
        let image = numbers((1, 3, 32, 32), 2, &vb)?;
        Ok(vec![resnet::resnet18(10, vb)?.forward(&image)?])
    })
}

#[test]
fn stable_diffusion_unet() -> Result<()> {
    let block =
        |out_channels, use_cross_attn| BlockConfig { out_channels, use_cross_attn, attention_head_dim: 2 };
    let config = UNet2DConditionModelConfig {
        blocks: vec![block(32, Some(1)), block(64, None)],
        layers_per_block: 1,
        cross_attention_dim: 24,
        ..Default::default()
    };
    agrees(TOLERANCE, |vb| {
        let (latents, text) = (numbers((2, 4, 8, 8), 3, &vb)?, numbers((2, 7, 24), 4, &vb)?);
        let model = UNet2DConditionModel::new(vb, 4, 4, false, config.clone())?;
        Ok(vec![model.forward(&latents, 123., &text)?])
    })
}

#[test]
fn stable_diffusion_vae() -> Result<()> {
    let config =
        AutoEncoderKLConfig { block_out_channels: vec![16, 32], norm_num_groups: 8, ..Default::default() };
    agrees(TOLERANCE, |vb| {
        let latents = numbers((1, 4, 6, 6), 5, &vb)?;
        let model = AutoEncoderKL::new(vb, 3, 3, config.clone())?;
        Ok(vec![model.decode(&latents)?])
    })
}

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
    agrees(TOLERANCE, |vb| {
        let (mel, ids) = (numbers((1, 16, 40), 6, &vb)?, tokens((1, 5), 60, &vb)?);
        let mut model = whisper::model::Whisper::load(&vb, config.clone())?;
        let heard = model.encoder.forward(&mel, true)?;
        let said = model.decoder.forward(&ids, &heard, true)?;
        Ok(vec![heard, model.decoder.final_linear(&said)?])
    })
}
