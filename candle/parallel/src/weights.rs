//! Where a rank's part of a model comes from.

use candle_core::{DType, Result, Tensor};
use candle_nn::var_builder::{Backend, Shard, VarBuilderArgs};

use crate::Linear;

/// How the weights [out, in] of a layer are split among ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// Every rank has all of them.
    Whole,
    /// By outputs, which are rows.
    Outputs,
    /// By inputs, which are columns.
    Inputs,
}

/// The weights of a model, by their names in Hugging Face's files, such as `model.layers.0.self_attn.q_proj.weight`.
///
/// candle-nn's `ShardedVarBuilder` implements it for safetensors files: it maps them and reads only the requested parts.
/// [`Gguf`](crate::Gguf) implements it for GGUF files.
pub trait Weights {
    /// Loads a rank's part of a linear layer of shape [out, in].
    ///
    /// # Errors
    /// If the layer is missing or cannot be split this way.
    fn linear(
        &self,
        name: &str,
        shape: [usize; 2],
        split: Split,
        rank: usize,
        ranks: usize,
    ) -> Result<Linear>;

    /// Loads a whole tensor, in the dtype of the activations.
    ///
    /// # Errors
    /// If the tensor is missing.
    fn tensor(&self, name: &str, shape: &[usize]) -> Result<Tensor>;

    /// Whether there is a tensor with this name.
    fn contains(&self, name: &str) -> bool;

    /// The dtype of the activations.
    fn dtype(&self) -> DType;
}

impl<B: Backend<Hints = Shard>> Weights for VarBuilderArgs<'_, B> {
    fn linear(
        &self,
        name: &str,
        shape: [usize; 2],
        split: Split,
        rank: usize,
        ranks: usize,
    ) -> Result<Linear> {
        let hint = match split {
            Split::Whole => Shard::default(),
            Split::Outputs => Shard { dim: 0, rank, world_size: ranks },
            Split::Inputs => Shard { dim: 1, rank, world_size: ranks },
        };
        check_split(name, shape, split, ranks, 1)?;
        Ok(self.get_with_hints((shape[0], shape[1]), name, hint)?.into())
    }

    fn tensor(&self, name: &str, shape: &[usize]) -> Result<Tensor> {
        self.get_with_hints(shape, name, Shard::default())
    }

    fn contains(&self, name: &str) -> bool {
        self.contains_tensor(name)
    }

    fn dtype(&self) -> DType {
        VarBuilderArgs::dtype(self)
    }
}

/// Weights that cannot be split are an error with their name.
pub(crate) fn check_split(
    name: &str,
    shape: [usize; 2],
    split: Split,
    ranks: usize,
    block: usize,
) -> Result<()> {
    let (dim, unit) = match split {
        Split::Whole => return Ok(()),
        Split::Outputs => (0, 1),
        Split::Inputs => (1, block),
    };
    if !shape[dim].is_multiple_of(ranks * unit) {
        let blocks = if unit > 1 { format!(" in blocks of {unit}") } else { String::new() };
        candle_core::bail!("{name}: dimension {dim} of {shape:?} cannot be split among {ranks} ranks{blocks}")
    }
    Ok(())
}
