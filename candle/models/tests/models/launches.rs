//! How many launches a step of a model takes, with fusion and without: a count that no machine changes.

use candle_core::{DType, Device, Result, Tensor};
use candle_nn::VarBuilder;
use candle_rocm::{Fusion, GemmEngine, RocmDevice};
use candle_rocm_models::{Weights, config, numbers, tokens};
use candle_rocm_tests::devices;
use candle_transformers::models::{llama, whisper};
use serde_json::json;

use super::diffusion::unet_step;

/// Launches of a decoded token with and without fusion, and the logits of both.
fn decode(device: &Device) -> Result<[(usize, Vec<f32>); 2]> {
    let own: &RocmDevice = device.as_rocm_device()?.downcast_ref().expect("a candle-rocm device");
    // rocBLAS does not count its launches.
    own.set_gemm_engine(GemmEngine::Kernels);
    let config = config::<llama::LlamaConfig>(json!({
        "num_hidden_layers": 16,
        "num_attention_heads": 8,
        "num_key_value_heads": 2,
        "hidden_size": 128,
        "intermediate_size": 256,
    }))?
    .into_config(false);
    let vb: VarBuilder = Weights::default().on(DType::BF16, device);
    let text = tokens((1, 12), 80, &vb)?;
    let model = llama::Llama::load(vb, &config)?;
    let step = |fusion| {
        own.set_fusion(fusion);
        let mut cache = llama::Cache::new(true, DType::BF16, &config, device)?;
        let mut launches = 0;
        let mut logits = model.forward(&text.narrow(1, 0, 8)?, 0, &mut cache)?;
        for at in 8..12 {
            logits.to_dtype(DType::F32)?.flatten_all()?.to_vec1::<f32>()?;
            let before = own.counters().launches;
            logits = model.forward(&text.narrow(1, at, 1)?, at, &mut cache)?;
            launches = own.counters().launches - before;
        }
        Ok::<_, candle_core::Error>((launches, logits.to_dtype(DType::F32)?.flatten_all()?.to_vec1::<f32>()?))
    };
    let results = [step(Fusion::Off)?, step(Fusion::On)?];
    own.set_fusion(Fusion::Off);
    Ok(results)
}

/// Before there was fusion a token took 438 launches (27 in each of 16 layers): the embedding, the norms, products, rotary embeddings,
/// caches, repeated heads, conversions, scores, softmax, residuals, and the gate.
#[test]
fn llama_decodes_with_few_launches() -> Result<()> {
    for device in devices() {
        let fresh = device.as_rocm_device()?.downcast_ref::<RocmDevice>().expect("a candle-rocm device");
        let fresh = Device::from(RocmDevice::on(fresh.platform(), fresh.ordinal())?);
        let [(plain, expected), (joined, logits)] = decode(&fresh)?;
        println!("{device:?}: {plain} launches without fusion, {joined} with it");
        // Six in a layer: the norm and queries, keys and values; their rotation and the cache; attention; its product; the norm and the
        // gate; its product.
        assert!(joined <= 6 * 16 + 8, "{joined} launches with fusion, {plain} without");
        // Attention keeps f32 where it is spelled with conversions: bf16's rounding of sixteen layers differs.
        let scale = expected.iter().fold(0f32, |most, x| most.max(x.abs()));
        for (a, b) in expected.iter().zip(&logits) {
            assert!((a - b).abs() <= 3e-2 * scale, "{a} {b}");
        }
    }
    Ok(())
}

/// More often than operations must be met to be worth a kernel of their own.
const OFTEN: usize = 5;

/// Launches of a step, without fusion and with it, and its result.
fn counted(
    device: &Device,
    dtype: DType,
    step: impl Fn(VarBuilder<'static>) -> Result<Box<dyn FnMut() -> Result<Tensor>>>,
) -> Result<[(usize, Vec<f32>); 2]> {
    let own: &RocmDevice = device.as_rocm_device()?.downcast_ref().expect("a candle-rocm device");
    own.set_gemm_engine(GemmEngine::Kernels);
    let mut step = step(Weights::default().on(dtype, device))?;
    let mut run = |fusion| {
        own.set_fusion(fusion);
        for _ in 0..OFTEN {
            step()?;
        }
        own.finish_compiling()?;
        let before = own.counters().launches;
        let result = step()?;
        let launches = own.counters().launches - before;
        Ok::<_, candle_core::Error>((launches, result.to_dtype(DType::F32)?.flatten_all()?.to_vec1::<f32>()?))
    };
    let results = [run(Fusion::Off)?, run(Fusion::On)?];
    own.set_fusion(Fusion::Off);
    Ok(results)
}

/// A step of a decoder with attention to what was heard, at most 60 % of the launches.
#[test]
fn whisper_decodes_with_few_launches() -> Result<()> {
    let config = whisper::Config {
        num_mel_bins: 16,
        max_source_positions: 20,
        d_model: 64,
        encoder_attention_heads: 2,
        encoder_layers: 1,
        vocab_size: 64,
        max_target_positions: 16,
        decoder_attention_heads: 2,
        decoder_layers: 4,
        suppress_tokens: Vec::new(),
    };
    for device in devices() {
        let [(plain, expected), (joined, got)] = counted(&device, DType::F32, |vb| {
            let (mel, ids) = (numbers((1, 16, 40), 6, &vb)?, tokens((1, 5), 60, &vb)?);
            let mut model = whisper::model::Whisper::load(&vb, config.clone())?;
            let heard = model.encoder.forward(&mel, true)?;
            model.decoder.forward(&ids, &heard, true)?;
            Ok(Box::new(move || model.decoder.forward(&ids, &heard, false)))
        })?;
        println!("{device:?}: {plain} launches without fusion, {joined} with it");
        assert!(joined * 10 <= plain * 6, "{joined} launches with fusion, {plain} without");
        near(&expected, &got);
    }
    Ok(())
}

/// A denoising step of Stable Diffusion's UNet, at most 60 % of the launches.
#[test]
fn unet_denoises_with_few_launches() -> Result<()> {
    for device in devices() {
        let [(plain, expected), (joined, got)] =
            counted(&device, DType::F32, |vb| Ok(Box::new(unet_step(vb)?)))?;
        println!("{device:?}: {plain} launches without fusion, {joined} with it");
        assert!(joined * 10 <= plain * 6, "{joined} launches with fusion, {plain} without");
        near(&expected, &got);
    }
    Ok(())
}

/// Sums in another order, of some hundred steps.
fn near(expected: &[f32], got: &[f32]) {
    let scale = expected.iter().fold(0f32, |most, x| most.max(x.abs()));
    for (a, b) in expected.iter().zip(got) {
        assert!((a - b).abs() <= 1e-4 * scale, "{a} {b}");
    }
}
