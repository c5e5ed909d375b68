//! The sizes of a model.

use candle_core::Result;

use crate::{Gguf, Weights};

/// The hyperparameters of a model.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct Config {
    pub hidden_size: usize,
    pub intermediate_size: usize,
    pub vocab_size: usize,
    pub layers: usize,
    pub heads: usize,
    pub key_value_heads: usize,
    pub rms_norm_eps: f64,
    pub rope_theta: f32,
    /// Whether rotary embeddings rotate pairs of adjacent elements, as in GGUF files of llama, instead of the two halves of a head.
    pub interleaved: bool,
    /// The maximum number of tokens in a sequence.
    pub max_positions: usize,
}

impl Config {
    /// Reads the hyperparameters from a GGUF file.
    ///
    /// # Errors
    /// If the file is not a llama without experts, or lacks a value.
    pub fn of_gguf(file: &Gguf) -> Result<Self> {
        let architecture = file.metadata("general.architecture")?.to_string()?;
        if architecture != "llama" || file.contains("blk.0.ffn_gate_inp.weight") {
            candle_core::bail!(
                "tensor parallel is for llama without experts, and the file has {architecture}"
            )
        }
        let number =
            |name: &str| -> Result<usize> { Ok(file.metadata(&format!("llama.{name}"))?.to_u32()? as usize) };
        let hidden_size = number("embedding_length")?;
        let heads = number("attention.head_count")?;
        let vocabulary = file.dims("model.embed_tokens.weight").and_then(|dims| dims.first().copied());
        Ok(Self {
            hidden_size,
            intermediate_size: number("feed_forward_length")?,
            vocab_size: vocabulary
                .ok_or_else(|| candle_core::Error::Msg("the file has no embeddings".into()))?,
            layers: number("block_count")?,
            heads,
            key_value_heads: number("attention.head_count_kv").unwrap_or(heads),
            rms_norm_eps: f64::from(file.metadata("llama.attention.layer_norm_rms_epsilon")?.to_f32()?),
            rope_theta: file.metadata("llama.rope.freq_base").and_then(|value| value.to_f32()).unwrap_or(1e4),
            interleaved: true,
            max_positions: number("context_length")?,
        })
    }

    pub(super) fn check(&self, ranks: usize) -> Result<()> {
        let sizes = [
            ("attention heads", self.heads),
            ("key-value heads", self.key_value_heads),
            ("intermediate outputs", self.intermediate_size),
        ];
        match sizes.into_iter().find(|(_, size)| !size.is_multiple_of(ranks)) {
            Some((what, size)) => candle_core::bail!("{size} {what} cannot be split among {ranks} ranks"),
            None => Ok(()),
        }
    }
}
