//! llama with tensor parallelism: heads and intermediate outputs are split among the ranks. The results are those of the whole model.
//!
//! Every rank has all embeddings and norms. Attention and each gated layer end in a sum over all ranks. The product for the logits is split
//! by vocabulary, and its results are gathered.

mod attention;
mod config;
mod parts;

use candle_core::{DType, Device, IndexOp, Module, Result, Tensor};
use candle_nn::{Embedding, RmsNorm};

use crate::side_stream::SideStream;
use crate::{ColumnParallel, Communicator, RowParallel, Split, Weights};
use attention::{Attention, Rotary};
pub use config::Config;
pub use parts::PromptSplit;
use parts::{Part, Sums};

/// A rank's part of the model, with the keys and values of one sequence.
pub struct Llama {
    embeddings: Embedding,
    layers: Vec<Layer>,
    norm: RmsNorm,
    head: ColumnParallel,
    /// None if every rank has the whole head.
    gathered: Option<Communicator>,
    rotary: Rotary,
    /// For prompts in parts, if there are other ranks.
    side: Option<SideStream>,
    split: PromptSplit,
}

impl Llama {
    /// Loads a rank's part of the model, or without a communicator the whole model.
    ///
    /// # Errors
    /// If weights are missing, or something that must be split is not a multiple of the number of ranks.
    pub fn load(
        config: &Config,
        weights: &impl Weights,
        communicator: Option<&Communicator>,
        device: &Device,
    ) -> Result<Self> {
        let ranks = communicator.map_or(1, |communicator| communicator.world_size() as usize);
        config.check(ranks)?;
        let place = Place {
            weights,
            communicator,
            rank: communicator.map_or(0, |communicator| communicator.rank() as usize),
            ranks,
        };
        let Config { hidden_size, vocab_size, .. } = *config;
        let embeddings = weights.tensor("model.embed_tokens.weight", &[vocab_size, hidden_size])?;
        let tied = !weights.contains("lm_head.weight");
        let head = if tied { "model.embed_tokens.weight" } else { "lm_head.weight" };
        let split = if vocab_size.is_multiple_of(ranks) { Split::Outputs } else { Split::Whole };
        let part = weights.linear(head, [vocab_size, hidden_size], split, place.rank, ranks)?;
        let split = communicator.filter(|_| split == Split::Outputs);
        Ok(Self {
            embeddings: Embedding::new(embeddings, hidden_size),
            layers: (0..config.layers)
                .map(|index| Layer::load(config, index, &place))
                .collect::<Result<_>>()?,
            norm: place.norm("model.norm.weight", config)?,
            head: ColumnParallel::new(part, split),
            gathered: split.cloned(),
            rotary: Rotary::new(config, weights.dtype(), device)?,
            side: communicator.map(SideStream::new).transpose()?,
            split: PromptSplit::default(),
        })
    }

    /// Sets which prompts are split. The same on all ranks.
    pub fn set_prompt_split(&mut self, split: PromptSplit) {
        self.split = split;
    }

    /// Computes the logits [batch, vocabulary] after the last of the tokens [batch, tokens], the first of which is at `position` in the
    /// sequence. Position 0 starts a new sequence.
    ///
    /// # Errors
    /// Those of the operations. [`failure`](crate::failure) extracts why the ranks failed.
    pub fn forward(&mut self, tokens: &Tensor, position: usize) -> Result<Tensor> {
        let (batch, length) = tokens.dims2()?;
        if tokens.elem_count() == 0 {
            candle_core::bail!("llama: there are no tokens in {:?}", tokens.dims())
        }
        let (count, mut sums) = match (&self.side, self.split.parts(batch, length)) {
            (Some(side), count @ 2..) => (count, Sums::beside(side)),
            _ => (1, Sums::InOrder),
        };
        let part = |index: usize| {
            let (start, end) = (index * length / count, (index + 1) * length / count);
            Part::new(self.embeddings.forward(&tokens.narrow(1, start, end - start)?)?, position + start)
        };
        let mut parts = (0..count).map(part).collect::<Result<Vec<Part>>>()?;
        for layer in &mut self.layers {
            parts.iter_mut().try_for_each(|part| layer.attend(part, &self.rotary, &mut sums))?;
            parts.iter_mut().try_for_each(|part| layer.feed_forward(part, &mut sums))?;
        }
        sums.finish(&parts)?;
        let mut last = parts.swap_remove(count - 1);
        let x = self.norm.forward(&last.residual()?)?;
        let x = x.i((.., x.dim(1)? - 1, ..))?.contiguous()?;
        let logits = self.head.forward(&x)?;
        match &self.gathered {
            Some(communicator) => communicator.all_gather(&logits, 1)?.to_dtype(DType::F32),
            None => logits.to_dtype(DType::F32),
        }
    }

    /// Shortens the sequence to its first `tokens` tokens.
    ///
    /// # Errors
    /// If the sequence is shorter.
    pub fn truncate(&mut self, tokens: usize) -> Result<()> {
        self.layers.iter_mut().try_for_each(|layer| layer.attention.truncate(tokens))
    }
}

/// Which rank loads what.
struct Place<'a, W> {
    weights: &'a W,
    communicator: Option<&'a Communicator>,
    rank: usize,
    ranks: usize,
}

impl<W: Weights> Place<'_, W> {
    fn columns(&self, name: &str, shape: [usize; 2]) -> Result<ColumnParallel> {
        let part = self.weights.linear(name, shape, Split::Outputs, self.rank, self.ranks)?;
        Ok(ColumnParallel::new(part, self.communicator))
    }

    fn rows(&self, name: &str, shape: [usize; 2]) -> Result<RowParallel> {
        let part = self.weights.linear(name, shape, Split::Inputs, self.rank, self.ranks)?;
        Ok(RowParallel::new(part, self.communicator))
    }

    fn norm(&self, name: &str, config: &Config) -> Result<RmsNorm> {
        Ok(RmsNorm::new(self.weights.tensor(name, &[config.hidden_size])?, config.rms_norm_eps))
    }
}

struct Layer {
    input_norm: RmsNorm,
    attention: Attention,
    norm: RmsNorm,
    gate: ColumnParallel,
    up: ColumnParallel,
    down: RowParallel,
}

impl Layer {
    fn load<W: Weights>(config: &Config, index: usize, place: &Place<'_, W>) -> Result<Self> {
        let name = |part: &str| format!("model.layers.{index}.{part}.weight");
        let (hidden, inner) = (config.hidden_size, config.intermediate_size);
        Ok(Self {
            input_norm: place.norm(&name("input_layernorm"), config)?,
            attention: Attention::load(config, place, &name)?,
            norm: place.norm(&name("post_attention_layernorm"), config)?,
            gate: place.columns(&name("mlp.gate_proj"), [inner, hidden])?,
            up: place.columns(&name("mlp.up_proj"), [inner, hidden])?,
            down: place.rows(&name("mlp.down_proj"), [hidden, inner])?,
        })
    }

    // A sum among the ranks has what is recorded run. What its operand is made of is gone by then, and need not be written.

    /// Adds attention to the tokens of a part.
    fn attend(&mut self, part: &mut Part, rotary: &Rotary, sums: &mut Sums<'_>) -> Result<()> {
        let heads = {
            let x = self.input_norm.forward(&part.residual()?)?;
            self.attention.attend(&x, part.mask.as_ref(), part.position, rotary)?
        };
        part.add(sums.of(&self.attention.output, &heads)?);
        Ok(())
    }

    /// Adds the gated layers.
    fn feed_forward(&self, part: &mut Part, sums: &mut Sums<'_>) -> Result<()> {
        let gated = {
            let x = self.norm.forward(&part.residual()?)?;
            (candle_nn::ops::silu(&self.gate.forward(&x)?)? * self.up.forward(&x)?)?
        };
        part.add(sums.of(&self.down, &gated)?);
        Ok(())
    }
}
