//! Sentence embeddings with BERT.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, anyhow, ensure};
use candle_core::{DType, Device, Tensor};
use candle_nn::VarBuilder;
use candle_transformers::models::bert::{BertModel, Config, DTYPE};
use tokenizers::{PaddingParams, Tokenizer, TruncationParams};

/// The files of a sentence-transformers model.
pub const FILES: [&str; 3] = ["config.json", "tokenizer.json", "model.safetensors"];

/// A BERT model whose token embeddings are averaged to one unit vector per sentence.
pub struct Sentences {
    model: BertModel,
    tokenizer: Tokenizer,
    device: Device,
}

impl Sentences {
    /// Loads `config.json`, `tokenizer.json` and `model.safetensors` from a folder.
    ///
    /// # Errors
    ///
    /// Fails if a file is missing or invalid.
    pub fn load(folder: &Path, device: &Device) -> Result<Self> {
        for name in FILES {
            ensure!(
                folder.join(name).is_file(),
                "{} has no {name}; required are {}",
                folder.display(),
                FILES.join(", ")
            );
        }
        let [config, tokenizer, weights] = FILES.map(|name| folder.join(name));
        let config: Config = serde_json::from_slice(&fs::read(&config)?)
            .with_context(|| format!("{} is not the configuration of a BERT model", config.display()))?;
        let mut tokenizer = Tokenizer::from_file(&tokenizer)
            .map_err(|e| anyhow!("cannot read {}: {e}", tokenizer.display()))?;
        tokenizer.with_padding(Some(PaddingParams::default()));
        let truncation =
            TruncationParams { max_length: config.max_position_embeddings.min(256), ..Default::default() };
        tokenizer.with_truncation(Some(truncation)).map_err(|e| anyhow!("{e}"))?;
        let bytes = fs::read(&weights).with_context(|| format!("cannot read {}", weights.display()))?;
        let vars = VarBuilder::from_buffered_safetensors(bytes, DTYPE, device)
            .with_context(|| format!("{} is damaged or truncated", weights.display()))?;
        let model = BertModel::load(vars, &config).context("cannot load the model")?;
        Ok(Self { model, tokenizer, device: device.clone() })
    }

    /// Embeds sentences. Returns a tensor of shape `[sentences, hidden]` whose rows are unit vectors.
    ///
    /// # Errors
    ///
    /// Fails if a sentence cannot be tokenized or if the forward pass fails.
    pub fn embed(&self, sentences: &[String]) -> Result<Tensor> {
        let encodings = self
            .tokenizer
            .encode_batch(sentences.to_vec(), true)
            .map_err(|e| anyhow!("cannot tokenize: {e}"))?;
        let rows = |of: fn(&tokenizers::Encoding) -> &[u32]| -> Result<Tensor> {
            let rows = encodings.iter().map(|encoding| Tensor::new(of(encoding), &self.device));
            Ok(Tensor::stack(&rows.collect::<candle_core::Result<Vec<_>>>()?, 0)?)
        };
        let (ids, mask) =
            (rows(tokenizers::Encoding::get_ids)?, rows(tokenizers::Encoding::get_attention_mask)?);
        let tokens = self.model.forward(&ids, &ids.zeros_like()?, Some(&mask))?;
        // The mean over tokens, excluding padding.
        let mask = mask.to_dtype(DType::F32)?.unsqueeze(2)?;
        let mean = tokens.broadcast_mul(&mask)?.sum(1)?.broadcast_div(&mask.sum(1)?)?;
        Ok(mean.broadcast_div(&mean.sqr()?.sum_keepdim(1)?.sqrt()?)?)
    }
}
