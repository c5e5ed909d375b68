//! Diffusion models, one denoising step each, and their autoencoders.

use candle_core::{DType, Module, Result, Tensor};
use candle_nn::VarBuilder;
use candle_rocm_models::{Weights, agrees, agrees_in, agrees_in_f16, agrees_with, config, numbers};
use candle_transformers::models::flux::WithForward as _;
use candle_transformers::models::mmdit::model::{Config, MMDiT, MMDiTCore};
use candle_transformers::models::stable_diffusion::unet_2d::{
    BlockConfig, UNet2DConditionModel, UNet2DConditionModelConfig,
};
use candle_transformers::models::stable_diffusion::vae::{AutoEncoderKL, AutoEncoderKLConfig};
use candle_transformers::models::wuerstchen::paella_vq::PaellaVQ;
use candle_transformers::models::wuerstchen::prior::WPrior;
use candle_transformers::models::{flux, z_image};
use serde_json::json;

/// A denoising step of a small UNet, of two images of `side` by `side`.
pub(super) fn unet_step(vb: VarBuilder<'static>, side: usize) -> Result<impl Fn() -> Result<Tensor>> {
    let block =
        |out_channels, use_cross_attn| BlockConfig { out_channels, use_cross_attn, attention_head_dim: 2 };
    let config = UNet2DConditionModelConfig {
        blocks: vec![block(32, Some(1)), block(64, None)],
        layers_per_block: 1,
        cross_attention_dim: 24,
        ..Default::default()
    };
    let (latents, text) = (numbers((2, 4, side, side), 3, &vb)?, numbers((2, 7, 24), 4, &vb)?);
    let model = UNet2DConditionModel::new(vb, 4, 4, false, config)?;
    Ok(move || model.forward(&latents, 123., &text))
}

#[test]
fn stable_diffusion_unet() -> Result<()> {
    agrees(|vb| Ok(vec![unet_step(vb, 8)?()?]))
}

#[test]
fn stable_diffusion_vae() -> Result<()> {
    let config =
        AutoEncoderKLConfig { block_out_channels: vec![16, 32], norm_num_groups: 8, ..Default::default() };
    agrees(|vb| {
        let latents = numbers((1, 4, 6, 6), 5, &vb)?;
        let model = AutoEncoderKL::new(vb, 3, 3, config.clone())?;
        Ok(vec![model.decode(&latents)?])
    })
}

/// Stable Diffusion 3, and 3.5 with its second attention. f16 only, since the model converts the time embedding to f16.
#[test]
fn mmdit() -> Result<()> {
    let config = Config {
        patch_size: 2,
        in_channels: 4,
        out_channels: 4,
        depth: 3,
        head_size: 16,
        adm_in_channels: 24,
        pos_embed_max_size: 8,
        context_embed_size: 40,
        frequency_embedding_size: 32,
    };
    for without in [&["attn2", "ln_k", "ln_q"][..], &[]] {
        let weights = Weights { without, ..Default::default() };
        agrees_with(weights, |vb| {
            let (text, image, time) =
                (numbers((2, 7, 48), 3, &vb)?, numbers((2, 24, 48), 4, &vb)?, numbers((2, 48), 5, &vb)?);
            Ok(vec![MMDiTCore::new(3, 48, 3, 2, 4, false, vb)?.forward(&text, &image, &time, None)?])
        })?;
        agrees_in_f16(weights, |vb| {
            let (latents, text) = (numbers((2, 4, 8, 12), 3, &vb)?, numbers((2, 7, 40), 4, &vb)?);
            let (pooled, time) = (numbers((2, 24), 5, &vb)?, Tensor::new(&[500f32, 20.], vb.device())?);
            Ok(vec![MMDiT::new(&config, false, vb)?.forward(&latents, &time, &pooled, &text, None)?])
        })?;
    }
    Ok(())
}

/// The embedding of a time multiplies its frequencies by 1000, and takes their cosine: where `v_exp_f32` is wrong by a unit in the last
/// place, as it may be, angles of up to 3500 are wrong by 4e-4.
#[test]
fn flux() -> Result<()> {
    let config = flux::model::Config {
        in_channels: 16,
        vec_in_dim: 24,
        context_in_dim: 40,
        hidden_size: 64,
        num_heads: 4,
        depth: 1,
        depth_single_blocks: 2,
        axes_dim: vec![4, 6, 6],
        ..flux::model::Config::dev()
    };
    agrees_in(&[(DType::F32, 1e-4)], |vb| {
        let latents = numbers((1, 4, 6, 8), 3, &vb)?;
        let state =
            flux::sampling::State::new(&numbers((1, 7, 40), 4, &vb)?, &numbers((1, 24), 5, &vb)?, &latents)?;
        let (time, guidance) = (Tensor::new(&[0.7f32], vb.device())?, Tensor::new(&[3.5f32], vb.device())?);
        let model = flux::model::Flux::new(&config, vb)?;
        Ok(vec![model.forward(
            &state.img,
            &state.img_ids,
            &state.txt,
            &state.txt_ids,
            &time,
            &state.vec,
            Some(&guidance),
        )?])
    })
}

/// The encoder and decoder by themselves: between them, `encode` samples with the device's random numbers.
#[test]
fn flux_autoencoder() -> Result<()> {
    let config = flux::autoencoder::Config {
        ch: 32,
        ch_mult: vec![1, 2],
        num_res_blocks: 1,
        z_channels: 4,
        ..flux::autoencoder::Config::dev()
    };
    agrees(|vb| {
        let image = numbers((1, 3, 16, 16), 3, &vb)?;
        let encoder = flux::autoencoder::Encoder::new(&config, vb.pp("encoder"))?;
        let decoder = flux::autoencoder::Decoder::new(&config, vb.pp("decoder"))?;
        let latents = encoder.forward(&image)?;
        let decoded = decoder.forward(&latents.narrow(1, 0, 4)?)?;
        Ok(vec![latents, decoded])
    })
}

#[test]
fn z_image() -> Result<()> {
    let config: z_image::transformer::Config = config(json!({
        "axes_dims": [4, 6, 6],
        "axes_lens": [64, 16, 16],
        "cap_feat_dim": 40,
        "dim": 64,
        "in_channels": 4,
        "n_heads": 4,
        "n_kv_heads": 4,
        "n_layers": 2,
        "n_refiner_layers": 1,
    }))?;
    agrees(|vb| {
        let (latents, text) = (numbers((1, 4, 1, 8, 12), 3, &vb)?, numbers((1, 7, 40), 4, &vb)?);
        let mask = Tensor::new(&[[1u8, 1, 1, 1, 1, 0, 0]], vb.device())?;
        let time = Tensor::new(&[0.3f32], vb.device())?;
        let model = z_image::transformer::ZImageTransformer2DModel::new(&config, vb)?;
        Ok(vec![model.forward(&latents, &time, &text, &mask)?])
    })
}

#[test]
fn z_image_vae() -> Result<()> {
    let config = z_image::vae::VaeConfig {
        latent_channels: 4,
        block_out_channels: vec![16, 32],
        layers_per_block: 1,
        norm_num_groups: 8,
        ..z_image::vae::VaeConfig::z_image()
    };
    agrees(|vb| {
        let latents = numbers((1, 4, 6, 6), 5, &vb)?;
        Ok(vec![z_image::vae::AutoEncoderKL::new(&config, vb)?.decode(&latents)?])
    })
}

/// Its last step divides by `|b - 1|`, which magnifies the rounding of f32 where b is near 1: nowhere with this input.
#[test]
fn wuerstchen_prior() -> Result<()> {
    agrees(|vb| {
        let (noise, text) = (numbers((1, 4, 3, 4), 17, &vb)?, numbers((1, 7, 40), 4, &vb)?);
        let time = Tensor::new(&[0.3f32], vb.device())?;
        Ok(vec![WPrior::new(4, 64, 40, 16, 2, 4, false, vb)?.forward(&noise, &time, &text)?])
    })
}

/// Its size is fixed.
#[test]
fn wuerstchen_vqgan() -> Result<()> {
    agrees(|vb| {
        let image = numbers((1, 3, 16, 16), 3, &vb)?;
        let model = PaellaVQ::new(vb)?;
        let latents = model.encode(&image)?;
        let decoded = model.decode(&latents)?;
        Ok(vec![latents, decoded])
    })
}
