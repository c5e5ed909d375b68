//! The supported architectures, behind one `forward`.

use anyhow::{Context, Result, bail};
use candle_core::{DType, Device, Tensor};
use candle_transformers::models as of;

use crate::gguf::{Gguf, Source};
use crate::parallel::Ranks;

/// Loads a model onto a device.
type Load = fn(Gguf, &Device) -> candle_core::Result<Model>;

/// The supported values of `general.architecture` and their loaders.
pub const ARCHITECTURES: [(&str, Load); 9] = [
    ("llama", |f, on| {
        Ok(Model::Llama(of::quantized_llama::ModelWeights::from_gguf(f.content, &mut { f.reader }, on)?))
    }),
    ("qwen2", |f, on| {
        Ok(Model::Qwen2(of::quantized_qwen2::ModelWeights::from_gguf(f.content, &mut { f.reader }, on)?))
    }),
    ("qwen3", |f, on| {
        Ok(Model::Qwen3(of::quantized_qwen3::ModelWeights::from_gguf(f.content, &mut { f.reader }, on)?))
    }),
    ("qwen3moe", |f, on| {
        let model =
            of::quantized_qwen3_moe::GGUFQWenMoE::from_gguf(f.content, &mut { f.reader }, on, DType::F32)?;
        Ok(Model::Qwen3Moe(model))
    }),
    ("phi2", |f, on| {
        Ok(Model::Phi2(of::quantized_phi::ModelWeights::from_gguf(f.content, &mut { f.reader }, on)?))
    }),
    ("phi3", |f, on| {
        Ok(Model::Phi3(of::quantized_phi3::ModelWeights::from_gguf(false, f.content, &mut { f.reader }, on)?))
    }),
    ("gemma3", |f, on| {
        Ok(Model::Gemma3(of::quantized_gemma3::ModelWeights::from_gguf(f.content, &mut { f.reader }, on)?))
    }),
    ("glm4", |f, on| {
        Ok(Model::Glm4(of::quantized_glm4::ModelWeights::from_gguf(
            f.content,
            &mut { f.reader },
            on,
            DType::F32,
        )?))
    }),
    ("lfm2", |f, on| {
        Ok(Model::Lfm2(of::quantized_lfm2::ModelWeights::from_gguf(f.content, &mut { f.reader }, on)?))
    }),
];

/// One of candle-transformers' models.
pub enum Model {
    /// Llama, Mistral, SmolLM, TinyLlama, Mixtral and many others.
    Llama(of::quantized_llama::ModelWeights),
    /// Qwen 1.5, 2 and 2.5, and DeepSeek's distilled models.
    Qwen2(of::quantized_qwen2::ModelWeights),
    /// Qwen 3.
    Qwen3(of::quantized_qwen3::ModelWeights),
    /// Qwen 3 MoE.
    Qwen3Moe(of::quantized_qwen3_moe::GGUFQWenMoE),
    /// Phi 1.5 and 2.
    Phi2(of::quantized_phi::ModelWeights),
    /// Phi 3 and 4.
    Phi3(of::quantized_phi3::ModelWeights),
    /// Gemma 3.
    Gemma3(of::quantized_gemma3::ModelWeights),
    /// GLM 4.
    Glm4(of::quantized_glm4::ModelWeights),
    /// LFM 2.
    Lfm2(of::quantized_lfm2::ModelWeights),
    /// Llama on several devices.
    Parallel(Ranks),
}

/// The loader for the file's architecture.
///
/// # Errors
///
/// Fails if the architecture is missing or not supported.
pub fn check_architecture(file: &Gguf) -> Result<Load> {
    let architecture = file.architecture()?;
    match ARCHITECTURES.iter().find(|(name, _)| *name == architecture) {
        Some((_, load)) => Ok(*load),
        None => {
            let known: Vec<&str> = ARCHITECTURES.iter().map(|(name, _)| *name).collect();
            bail!("architecture `{architecture}` is not supported; supported are {}", known.join(", "))
        }
    }
}

impl Model {
    /// Loads the model onto the device.
    ///
    /// # Errors
    ///
    /// Fails if the architecture is not supported or if candle cannot load the model.
    pub fn load(file: Gguf, device: &Device) -> Result<Self> {
        let load = check_architecture(&file)?;
        let failed = format!("cannot load {}", file.name);
        load(file, device).context(failed)
    }

    /// Loads a llama onto the device and the ones after it, a part onto each.
    ///
    /// # Errors
    ///
    /// As [`Ranks::load`].
    pub fn load_parallel(source: &Source, device: &Device, ranks: usize) -> Result<Self> {
        Ok(Self::Parallel(Ranks::load(source, device, ranks)?))
    }

    /// Returns the logits after the last token, as f32 on the CPU, of shape `[vocabulary]`. The tokens follow `position` earlier ones;
    /// position 0 starts a new sequence.
    ///
    /// # Errors
    ///
    /// Fails if the forward pass does.
    pub fn forward(&mut self, tokens: &[u32], position: usize, device: &Device) -> Result<Tensor> {
        let logits = match self {
            Model::Parallel(ranks) => ranks.forward(tokens, position, device)?,
            model => model.logits(&Tensor::new(tokens, device)?.unsqueeze(0)?, position)?,
        };
        // Sampling runs on the CPU.
        Ok(logits.flatten_all()?.to_dtype(DType::F32)?.to_device(&Device::Cpu)?)
    }

    /// The logits after the last token of each sequence, of shape `[sequences, vocabulary]`, on the device of `tokens`, of shape
    /// `[sequences, tokens]`.
    ///
    /// # Errors
    ///
    /// Fails if the forward pass does, and for a model on several devices.
    pub fn logits(&mut self, tokens: &Tensor, position: usize) -> Result<Tensor> {
        let logits = match self {
            Model::Parallel(_) => bail!("a model on several devices takes one sequence"),
            Model::Llama(model) => model.forward(tokens, position),
            Model::Qwen2(model) => model.forward(tokens, position),
            Model::Qwen3(model) => {
                if position == 0 {
                    model.clear_kv_cache();
                }
                model.forward(tokens, position)
            }
            Model::Qwen3Moe(model) => model.forward(tokens, position),
            Model::Phi2(model) => model.forward(tokens, position),
            Model::Phi3(model) => model.forward(tokens, position),
            Model::Gemma3(model) => model.forward(tokens, position),
            Model::Glm4(model) => model.forward(tokens, position),
            Model::Lfm2(model) => model.forward(tokens, position),
        }?;
        // [sequences, vocabulary] or [sequences, 1, vocabulary].
        Ok(logits.flatten_from(1)?)
    }

    /// Whether position 0 clears the KV cache. candle's Qwen 3 MoE never does.
    pub fn can_restart(&self) -> bool {
        !matches!(self, Model::Qwen3Moe(_))
    }
}
