//! How many launches and how much memory a step of a model takes, with fusion and without: counts that no machine changes.

use candle_core::{DType, Device, Result, Tensor};
use candle_nn::{AdamW, Module, Optimizer, ParamsAdamW, VarBuilder, VarMap, layer_norm, linear};
use candle_rocm::{Fusion, GemmEngine, RocmDevice};
use candle_rocm_models::{Weights, config, tokens};
use candle_rocm_tests::devices;
use candle_transformers::models::{llama, qwen2};
use serde_json::json;

use super::diffusion::unet_step;
use super::steps::{Width, bert_step, whisper_that_heard};

fn own(device: &Device) -> &RocmDevice {
    device.as_rocm_device().unwrap().downcast_ref().expect("a candle-rocm device")
}

/// What a step takes, and gives.
struct Step {
    launches: usize,
    /// Plans that were made: segments that were not met before.
    plans: usize,
    /// Most bytes of tensors at a time, less those that are there before and behind it.
    memory: usize,
    result: Vec<f32>,
}

/// Runs a step.
fn measured(device: &RocmDevice, step: impl FnOnce() -> Result<Tensor>) -> Result<Step> {
    device.synchronize()?;
    let (before, counters) = (device.pool().stats().allocated, device.counters());
    device.pool().reset_peaks();
    let result = step()?;
    let launches = device.counters().launches - counters.launches;
    let memory = device.pool().stats().allocated_peak - before;
    let result = result.to_dtype(DType::F32)?.flatten_all()?.to_vec1::<f32>()?;
    // What was recorded is planned by now.
    device.synchronize()?;
    let plans = device.counters().plans_made - counters.plans_made;
    Ok(Step { launches, plans, memory, result })
}

/// Fusion keeps operands of what waits, but allocates nothing for it: no more at a time than without.
fn no_more_memory(plain: &Step, joined: &Step) {
    let (plain, joined) = (plain.memory, joined.memory);
    assert!(joined <= plain, "{joined} bytes with fusion, {plain} without");
}

/// A decoded token of a model with 16 layers without fusion, and with it. `load` takes the model's configuration, and makes what decodes.
fn decode<F: FnMut(&Tensor, usize) -> Result<Tensor>>(
    device: &Device,
    load: impl Fn(VarBuilder<'static>, serde_json::Value) -> Result<F>,
) -> Result<[Step; 2]> {
    let own = own(device);
    // rocBLAS does not count its launches.
    own.set_gemm_engine(GemmEngine::Kernels);
    let step = |fusion| {
        own.set_fusion(fusion);
        let vb: VarBuilder = Weights::default().on(DType::BF16, device);
        let text = tokens((1, 12), 80, &vb)?;
        let config = json!({
            "num_hidden_layers": 16,
            "num_attention_heads": 8,
            "num_key_value_heads": 2,
            "hidden_size": 128,
            "intermediate_size": 256,
        });
        let mut forward = load(vb, config)?;
        let mut step = measured(own, || forward(&text.narrow(1, 0, 8)?, 0))?;
        for at in 8..12 {
            step = measured(own, || forward(&text.narrow(1, at, 1)?, at))?;
        }
        Ok::<_, candle_core::Error>(step)
    };
    let results = [step(Fusion::Off)?, step(Fusion::On)?];
    own.set_fusion(Fusion::Off);
    Ok(results)
}

/// Five launches in a layer: the norm and queries, keys and values; their rotation, the cache and attention; its product; the norm and the
/// gate; its product.
fn decodes_with_few_launches<F: FnMut(&Tensor, usize) -> Result<Tensor>>(
    load: impl Fn(VarBuilder<'static>, serde_json::Value) -> Result<F>,
) -> Result<()> {
    for device in devices() {
        let (platform, ordinal) = (own(&device).platform(), own(&device).ordinal());
        let fresh = Device::from(RocmDevice::on(platform, ordinal)?);
        let [without, with] = decode(&fresh, &load)?;
        no_more_memory(&without, &with);
        let (plain, joined) = (without.launches, with.launches);
        println!("{device:?}: {plain} launches without fusion, {joined} with it");
        assert!(joined <= 5 * 16 + 8, "{joined} launches with fusion, {plain} without");
        // Whatever grows with each token: its attention is no part of what is kept.
        assert_eq!(with.plans, 0, "plans were made for the last token");
        // Attention keeps f32 where it is spelled with conversions: bf16's rounding of sixteen layers differs.
        near(&without, &with, 3e-2);
    }
    Ok(())
}

/// Before there was fusion a token took 438 launches (27 in each of 16 layers): the embedding, the norms, products, rotary embeddings,
/// caches, repeated heads, conversions, scores, softmax, residuals, and the gate.
#[test]
fn llama_decodes_with_few_launches() -> Result<()> {
    decodes_with_few_launches(|vb, of| {
        let device = vb.device().clone();
        let config = config::<llama::LlamaConfig>(of)?.into_config(false);
        let mut cache = llama::Cache::new(true, DType::BF16, &config, &device)?;
        let model = llama::Llama::load(vb, &config)?;
        Ok(move |ids: &Tensor, at| model.forward(ids, at, &mut cache))
    })
}

/// Its queries, keys and values have biases.
#[test]
fn qwen2_decodes_with_few_launches() -> Result<()> {
    decodes_with_few_launches(|vb, mut of| {
        of["max_window_layers"] = json!(16);
        of["sliding_window"] = json!(32);
        of["use_sliding_window"] = json!(false);
        let mut model = qwen2::ModelForCausalLM::new(&config(of)?, vb)?;
        Ok(move |ids: &Tensor, at| model.forward(ids, at))
    })
}

/// More often than operations must be met to be worth a kernel of their own.
const OFTEN: usize = 5;

/// A step without fusion, and with it.
fn counted(
    device: &Device,
    dtype: DType,
    step: impl Fn(VarBuilder<'static>) -> Result<Box<dyn FnMut() -> Result<Tensor>>>,
) -> Result<[Step; 2]> {
    let own = own(device);
    own.set_gemm_engine(GemmEngine::Kernels);
    let mut step = step(Weights::default().on(dtype, device))?;
    let mut run = |fusion| {
        own.set_fusion(fusion);
        for _ in 0..OFTEN {
            step()?;
        }
        own.finish_compiling()?;
        // The loop before dropped results that this one has.
        measured(own, &mut step)?;
        measured(own, &mut step)
    };
    let results = [run(Fusion::Off)?, run(Fusion::On)?];
    own.set_fusion(Fusion::Off);
    Ok(results)
}

/// A step of a decoder with attention to what was heard, at most 60 % of the launches.
#[test]
fn whisper_decodes_with_few_launches() -> Result<()> {
    for device in devices() {
        let [without, with] = counted(&device, DType::F32, |vb| {
            let (mut model, ids, heard) = whisper_that_heard(&vb, 64, 4)?;
            Ok(Box::new(move || model.decoder.forward(&ids, &heard, false)))
        })?;
        few_launches(&device, &without, &with);
        // Eleven in a layer: the norm, queries, keys and values, attention, its product; the norm, queries, attention, its product; the
        // norm and two products. Biases and activations are part of them.
        assert!(with.launches <= 11 * 4 + 2, "{} launches", with.launches);
    }
    Ok(())
}

/// A sentence's embedding by BERT, whose softmax is spelled out, at most 60 % of the launches.
#[test]
fn bert_embeds_with_few_launches() -> Result<()> {
    for device in devices() {
        let [without, with] = counted(&device, DType::F32, |_| bert_step(&device, DType::F32, Width::Small))?;
        few_launches(&device, &without, &with);
        // Of three layers, with the mask, the embedding, and the mean of all tokens.
        assert!(with.launches <= 36, "{} launches", with.launches);
    }
    Ok(())
}

/// A denoising step of Stable Diffusion's UNet, at most 60 % of the launches.
#[test]
fn unet_denoises_with_few_launches() -> Result<()> {
    for device in devices() {
        let [without, with] = counted(&device, DType::F32, |vb| Ok(Box::new(unet_step(vb, 8)?)))?;
        few_launches(&device, &without, &with);
    }
    Ok(())
}

/// A step of training: operations that a gradient needs are kept, and each variable and its moments are written.
#[test]
fn training_takes_no_more_memory() -> Result<()> {
    for device in devices() {
        let own = own(&device);
        let run = |fusion| {
            own.set_fusion(fusion);
            let weights = VarMap::new();
            let vb = VarBuilder::from_varmap(&weights, DType::F32, &device);
            let (up, norm) = (linear(24, 96, vb.pp("up"))?, layer_norm(96, 1e-5, vb.pp("norm"))?);
            let down = linear(96, 24, vb.pp("down"))?;
            let mut adam = AdamW::new(weights.all_vars(), ParamsAdamW::default())?;
            let x = Tensor::ones((32, 24), DType::F32, &device)?;
            let mut step = || {
                let y = (down.forward(&norm.forward(&up.forward(&x)?.gelu()?)?)? + &x)?;
                let loss = y.sqr()?.mean_all()?;
                adam.backward_step(&loss)?;
                Ok(loss)
            };
            for _ in 0..OFTEN {
                step()?;
            }
            own.finish_compiling()?;
            measured(own, &mut step)
        };
        let [without, with] = [run(Fusion::Off)?, run(Fusion::On)?];
        println!("{device:?}: {} bytes without fusion, {} with it", without.memory, with.memory);
        no_more_memory(&without, &with);
    }
    Ok(())
}

/// At most 60 % of the launches. Sums in another order, of some hundred steps.
fn few_launches(device: &Device, without: &Step, with: &Step) {
    let (plain, joined) = (without.launches, with.launches);
    println!("{device:?}: {plain} launches without fusion, {joined} with it");
    assert!(joined * 10 <= plain * 6, "{joined} launches with fusion, {plain} without");
    assert_eq!(with.plans, 0, "plans were made for what was met {OFTEN} times");
    no_more_memory(without, with);
    near(without, with, 1e-4);
}

/// The same results, relative to the largest.
#[track_caller]
fn near(without: &Step, with: &Step, tolerance: f32) {
    let scale = without.result.iter().fold(0f32, |most, x| most.max(x.abs()));
    for (a, b) in without.result.iter().zip(&with.result) {
        assert!((a - b).abs() <= tolerance * scale, "{a} {b}");
    }
}
