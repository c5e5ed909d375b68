//! Vision transformers.

use std::sync::Arc;

use candle_core::{Module, Result, Tensor};
use candle_nn::VarBuilder;
use candle_rocm_models::{agrees, config, numbers};
use candle_transformers::models::depth_anything_v2::{DepthAnythingV2, DepthAnythingV2Config};
use candle_transformers::models::segment_anything::image_encoder::ImageEncoderViT;
use candle_transformers::models::segment_anything::mask_decoder::MaskDecoder;
use candle_transformers::models::segment_anything::prompt_encoder::PromptEncoder;
use candle_transformers::models::{beit, dinov2, dinov2reg4, eva2, segformer, vit};
use serde_json::json;

fn check_vision<M: Module>(size: (usize, usize), load: impl Fn(VarBuilder) -> Result<M>) -> Result<()> {
    agrees(|vb| {
        let image = numbers((1, 3, size.0, size.1), 2, &vb)?;
        Ok(vec![load(vb)?.forward(&image)?])
    })
}

#[test]
fn vit() -> Result<()> {
    let config: vit::Config = config(json!({ "hidden_act": "gelu", "qkv_bias": true }))?;
    agrees(|vb| {
        let image = numbers((2, 3, 24, 24), 2, &vb)?;
        Ok(vec![vit::Model::new(&config, 10, vb)?.forward(&image)?])
    })
}

#[test]
fn beit() -> Result<()> {
    check_vision((384, 384), |vb| beit::BeitVisionTransformer::new(vb, 1, 32, 2))
}

#[test]
fn dinov2() -> Result<()> {
    check_vision((56, 84), |vb| dinov2::DinoVisionTransformer::new(vb, 2, 48, 3))
}

#[test]
fn dinov2_with_registers() -> Result<()> {
    check_vision((518, 518), |vb| dinov2reg4::DinoVisionTransformer::new(vb, 1, 32, 2))
}

/// Head size 64, the only one for which candle-transformers has rotary embeddings here.
#[test]
fn eva2() -> Result<()> {
    check_vision((448, 448), |vb| eva2::EVA2VisionTransformer::new(vb, 1, 128, 2))
}

#[test]
fn depth_anything() -> Result<()> {
    check_vision((56, 56), |vb| {
        let layers = vec![0, 1, 2, 3];
        let config = DepthAnythingV2Config::new([16, 24, 32, 40], 48, 16, false, false, layers, 56, 4);
        let dino = dinov2::DinoVisionTransformer::new(vb.pp("dino"), 4, 48, 3)?;
        DepthAnythingV2::new(Arc::new(dino), config, vb)
    })
}

#[test]
fn segformer() -> Result<()> {
    let config: segformer::Config = config(json!({
        "decoder_hidden_size": 32,
        "depths": [1, 2],
        "hidden_act": "gelu",
        "hidden_sizes": [16, 32],
        "mlp_ratios": [2, 2],
        "num_attention_heads": [1, 2],
        "num_encoder_blocks": 2,
        "patch_sizes": [7, 3],
        "sr_ratios": [4, 1],
        "strides": [4, 2],
    }))?;
    check_vision((64, 48), |vb| segformer::SemanticSegmentationModel::new(&config, 5, vb.pp("segments")))?;
    check_vision((64, 48), |vb| segformer::ImageClassificationModel::new(&config, 5, vb.pp("classifies")))
}

/// Its three parts, on an image of 64x64 pixels: the assembled model requires 1024x1024.
#[test]
fn segment_anything() -> Result<()> {
    agrees(|vb| {
        let image = numbers((1, 3, 64, 64), 2, &vb)?;
        let points = numbers((1, 3, 2), 3, &vb)?;
        let labels = Tensor::new(&[[1f32, 0., 1.]], vb.device())?;
        let encoder =
            ImageEncoderViT::new(64, 8, 3, 32, 2, 2, 32, true, true, true, 3, &[1], vb.pp("image"))?;
        let prompts = PromptEncoder::new(32, (8, 8), (64, 64), 16, vb.pp("prompt"))?;
        let decoder = MaskDecoder::new(32, 3, 3, 32, vb.pp("mask"))?;
        let features = encoder.forward(&image)?;
        let (sparse, dense) = prompts.forward(Some((&points, &labels)), None, None)?;
        let (masks, quality) = decoder.forward(&features, &prompts.get_dense_pe()?, &sparse, &dense, true)?;
        Ok(vec![features, sparse, masks, quality])
    })
}
