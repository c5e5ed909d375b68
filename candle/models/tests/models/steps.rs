//! A step of each kind of model, small and as wide as models are: what kernels are recorded from that are compiled ahead of time.

use candle_core::{DType, Device, Result, Tensor};
use candle_nn::{
    AdamW, Linear, Module, Optimizer, ParamsAdamW, VarBuilder, VarMap, layer_norm, linear, loss,
};
use candle_rocm_models::{Weights, config, numbers, tokens};
use candle_transformers::models::{bert, clip, gemma, gemma3, llama, phi3, qwen2, qwen3, whisper};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::diffusion::unet_step;
use super::encoders::{bert_config, texts};

pub(super) type Step = Box<dyn FnMut() -> Result<Tensor>>;

/// A model, the dtypes that it runs in, and its step on a device, which may be repeated a few times.
pub(super) struct Model {
    pub(super) name: &'static str,
    pub(super) dtypes: &'static [DType],
    pub(super) step: fn(&Device, DType, Width) -> Result<Step>,
}

/// How wide a model's layers are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Width {
    Small,
    /// Rows of 512 elements or more are worth a block or a wavefront each.
    Wide,
}

impl Width {
    fn of(self, small: usize) -> usize {
        match self {
            Self::Small => small,
            Self::Wide => small * 4,
        }
    }
}

const FLOATS: &[DType] = &[DType::F32, DType::F16, DType::BF16];

pub(super) const MODELS: [Model; 10] = [
    Model { name: "llama", dtypes: FLOATS, step: llama_step },
    Model { name: "qwen2", dtypes: FLOATS, step: qwen2_step },
    Model { name: "qwen3", dtypes: FLOATS, step: qwen3_step },
    Model { name: "gemma", dtypes: FLOATS, step: gemma_step },
    Model { name: "gemma3", dtypes: FLOATS, step: gemma3_step },
    Model { name: "phi3", dtypes: FLOATS, step: phi3_step },
    // Its positions are in f32.
    Model { name: "whisper", dtypes: &[DType::F32], step: whisper_step },
    // Its mask is multiplied by f32::MIN, which overflows half types.
    Model { name: "bert", dtypes: &[DType::F32], step: bert_step },
    Model { name: "stable diffusion", dtypes: FLOATS, step: diffusion_step },
    Model { name: "training", dtypes: &[DType::F32], step: training_step },
];

fn weights(device: &Device, dtype: DType) -> VarBuilder<'static> {
    Weights::default().on(dtype, device)
}

/// A prompt, then one token at a time.
fn decoder_step<C: DeserializeOwned, M: 'static>(
    vb: VarBuilder<'static>,
    width: Width,
    own: Value,
    load: impl FnOnce(C, VarBuilder<'static>) -> Result<M>,
    mut forward: impl FnMut(&mut M, &Tensor, usize) -> Result<Tensor> + 'static,
) -> Result<Step> {
    let mut of = json!({
        "num_hidden_layers": 2,
        "num_attention_heads": 8,
        "num_key_value_heads": 2,
        "head_dim": width.of(16),
        "hidden_size": width.of(128),
        "intermediate_size": width.of(256),
    });
    if let (Value::Object(of), Value::Object(own)) = (&mut of, own) {
        of.extend(own);
    }
    let (text, mut at) = (tokens((1, 16), 80, &vb)?, 0);
    let mut model = load(config(of)?, vb)?;
    Ok(Box::new(move || {
        let len = if at == 0 { 8 } else { 1 };
        let logits = forward(&mut model, &text.narrow(1, at, len)?, at)?;
        at += len;
        Ok(logits)
    }))
}

fn llama_step(device: &Device, dtype: DType, width: Width) -> Result<Step> {
    let load = |config: llama::LlamaConfig, vb: VarBuilder<'static>| {
        let config = config.into_config(false);
        let cache = llama::Cache::new(true, vb.dtype(), &config, vb.device())?;
        Ok((cache, llama::Llama::load(vb, &config)?))
    };
    decoder_step(weights(device, dtype), width, json!({}), load, |(cache, model), ids, at| {
        model.forward(ids, at, cache)
    })
}

/// With biases of queries, keys and values.
fn qwen2_step(device: &Device, dtype: DType, width: Width) -> Result<Step> {
    let own = json!({ "max_window_layers": 2, "sliding_window": 32, "use_sliding_window": false });
    let load = |config, vb| qwen2::ModelForCausalLM::new(&config, vb);
    decoder_step(weights(device, dtype), width, own, load, qwen2::ModelForCausalLM::forward)
}

/// With norms of queries and keys.
fn qwen3_step(device: &Device, dtype: DType, width: Width) -> Result<Step> {
    let own = json!({ "max_window_layers": 2, "use_sliding_window": false });
    let load = |config, vb| qwen3::ModelForCausalLM::new(&config, vb);
    decoder_step(weights(device, dtype), width, own, load, qwen3::ModelForCausalLM::forward)
}

fn gemma_step(device: &Device, dtype: DType, width: Width) -> Result<Step> {
    let load = |config, vb| gemma::Model::new(false, &config, vb);
    let own = json!({ "hidden_act": "gelu_pytorch_tanh" });
    decoder_step(weights(device, dtype), width, own, load, gemma::Model::forward)
}

/// With norms of queries and keys, before and after each part of a layer.
fn gemma3_step(device: &Device, dtype: DType, width: Width) -> Result<Step> {
    let own = json!({
        "hidden_activation": "gelu_pytorch_tanh",
        "num_key_value_heads": 1,
        "query_pre_attn_scalar": 16,
        "rope_local_base_freq": 1_000.,
        "sliding_window": 32,
        "sliding_window_pattern": 2,
    });
    let load = |config, vb| gemma3::Model::new(false, &config, vb);
    decoder_step(weights(device, dtype), width, own, load, gemma3::Model::forward)
}

fn phi3_step(device: &Device, dtype: DType, width: Width) -> Result<Step> {
    let load = |config: phi3::Config, vb| phi3::Model::new(&config, vb);
    decoder_step(weights(device, dtype), width, json!({}), load, phi3::Model::forward)
}

/// A whisper, tokens of its decoder, which has seen them, and what its encoder heard.
pub(super) fn whisper_that_heard(
    vb: &VarBuilder,
    width: usize,
    decoder_layers: usize,
) -> Result<(whisper::model::Whisper, Tensor, Tensor)> {
    let config = whisper::Config {
        num_mel_bins: 16,
        max_source_positions: 20,
        d_model: width,
        encoder_attention_heads: 2,
        encoder_layers: 1,
        vocab_size: 64,
        max_target_positions: 16,
        decoder_attention_heads: 2,
        decoder_layers,
        suppress_tokens: Vec::new(),
    };
    let (mel, ids) = (numbers((1, 16, 40), 6, vb)?, tokens((1, 5), 60, vb)?);
    let mut model = whisper::model::Whisper::load(vb, config)?;
    let heard = model.encoder.forward(&mel, true)?;
    model.decoder.forward(&ids, &heard, true)?;
    Ok((model, ids, heard))
}

/// A step of the decoder.
fn whisper_step(device: &Device, dtype: DType, width: Width) -> Result<Step> {
    let (mut model, ids, heard) = whisper_that_heard(&weights(device, dtype), width.of(128), 2)?;
    Ok(Box::new(move || {
        let said = model.decoder.forward(&ids, &heard, false)?;
        model.decoder.final_linear(&said)
    }))
}

pub(super) fn bert_step(device: &Device, dtype: DType, width: Width) -> Result<Step> {
    let vb = weights(device, dtype);
    let config =
        bert::Config { hidden_size: width.of(128), intermediate_size: width.of(256), ..bert_config()? };
    let [ids, mask] = texts(&vb)?;
    let model = bert::BertModel::load(vb, &config)?;
    Ok(Box::new(move || {
        // The mean of what is no padding, of length 1, as sentences are embedded.
        let embedded = model.forward(&ids, &ids.zeros_like()?, Some(&mask))?;
        let mask = mask.to_dtype(embedded.dtype())?.unsqueeze(2)?;
        let mean = embedded.broadcast_mul(&mask)?.sum(1)?.broadcast_div(&mask.sum(1)?)?;
        mean.broadcast_div(&mean.sqr()?.sum_keepdim(1)?.sqrt()?)
    }))
}

/// The text's encoder, and a denoising step with guidance.
fn diffusion_step(device: &Device, dtype: DType, width: Width) -> Result<Step> {
    let vb = weights(device, dtype);
    let config = clip::text_model::ClipTextConfig {
        vocab_size: 60,
        embed_dim: width.of(128),
        activation: clip::text_model::Activation::QuickGelu,
        intermediate_size: width.of(256),
        max_position_embeddings: 16,
        pad_with: None,
        num_hidden_layers: 2,
        num_attention_heads: 2,
        projection_dim: 24,
    };
    let ids = tokens((2, 9), 60, &vb)?;
    let text = clip::text_model::ClipTextTransformer::new(vb.pp("text"), &config)?;
    let side = if width == Width::Small { 8 } else { 32 };
    let denoise = unet_step(vb, side)?;
    Ok(Box::new(move || {
        text.forward(&ids)?.flatten_all()?.to_dtype(DType::F32)?.to_vec1::<f32>()?;
        let noise = denoise()?;
        let (without, with) = (noise.narrow(0, 0, 1)?, noise.narrow(0, 1, 1)?);
        &without + ((with - &without)? * 7.5)?
    }))
}

/// A step of AdamW, of layers with a norm, an activation, a residual and a classification.
fn training_step(device: &Device, dtype: DType, width: Width) -> Result<Step> {
    let weights = VarMap::new();
    let vb = VarBuilder::from_varmap(&weights, dtype, device);
    let (narrow, wide) = (width.of(32), width.of(128));
    let (up, norm) = (linear(narrow, wide, vb.pp("up"))?, layer_norm(wide, 1e-5, vb.pp("norm"))?);
    let (down, classes): (Linear, Linear) =
        (linear(wide, narrow, vb.pp("down"))?, linear(narrow, 8, vb.pp("classes"))?);
    let mut adam = AdamW::new(weights.all_vars(), ParamsAdamW::default())?;
    let (x, target) = (Tensor::ones((32, narrow), dtype, device)?, tokens(32, 8, &vb)?);
    Ok(Box::new(move || {
        let y = (down.forward(&norm.forward(&up.forward(&x)?.gelu()?)?)? + &x)?;
        let loss = (loss::cross_entropy(&classes.forward(&y.silu()?)?, &target)? + y.sqr()?.mean_all()?)?;
        adam.backward_step(&loss)?;
        Ok(loss)
    }))
}
