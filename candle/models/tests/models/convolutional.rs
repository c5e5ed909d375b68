//! Convolutional vision models, in the smallest size that candle-transformers has of each.

use candle_core::{Module, Result};
use candle_nn::VarBuilder;
use candle_rocm_models::{agrees, numbers};
use candle_transformers::models::{
    convnext, efficientnet, efficientvit, mobilenetv4, mobileone, repvgg, resnet,
};

/// On an image of `size`x`size` pixels.
fn check_vision<M: Module>(size: usize, load: impl Fn(VarBuilder<'static>) -> Result<M>) -> Result<()> {
    agrees(|vb| {
        let image = numbers((1, 3, size, size), 2, &vb)?;
        Ok(vec![load(vb)?.forward(&image)?])
    })
}

#[test]
fn resnet18() -> Result<()> {
    check_vision(64, |vb| resnet::resnet18(10, vb))
}

#[test]
fn resnet50() -> Result<()> {
    check_vision(64, |vb| resnet::resnet50(10, vb))
}

#[test]
fn convnext_atto() -> Result<()> {
    check_vision(64, |vb| convnext::convnext(&convnext::Config::atto(), 10, vb))
}

#[test]
fn efficientnet_b0() -> Result<()> {
    check_vision(64, |vb| efficientnet::EfficientNet::new(vb, efficientnet::MBConvConfig::b0(), 10))
}

#[test]
fn efficientvit_m0() -> Result<()> {
    check_vision(224, |vb| efficientvit::efficientvit(&efficientvit::Config::m0(), 10, vb))
}

#[test]
fn mobilenetv4_small() -> Result<()> {
    check_vision(224, |vb| mobilenetv4::mobilenetv4(&mobilenetv4::Config::small(), 10, vb))
}

#[test]
fn mobileone_s0() -> Result<()> {
    check_vision(64, |vb| mobileone::mobileone(&mobileone::Config::s0(), 10, vb))
}

#[test]
fn repvgg_a0() -> Result<()> {
    check_vision(64, |vb| repvgg::repvgg(&repvgg::Config::a0(), 10, vb))
}
