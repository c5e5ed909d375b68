//! A prompt in parts: the sums among the ranks of one part run beside the products of the others.

use candle_core::{Module, Result, Tensor};

use super::attention::Mask;
use crate::RowParallel;
use crate::collective::Kind;
use crate::side_stream::SideStream;

/// Which prompts are processed in parts, so that the ranks add up the results of one while they compute those of another. By default none:
/// the products of one part hide the sums of the other, but have fewer rows, and RCCL's blocks take compute units from them. With NVLink
/// both amount to the same for 4096 tokens, and shorter prompts lose. With links of a third of its speed, 2048 tokens gain a sixth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PromptSplit {
    /// The number of tokens, of all sequences together, from which on a prompt is split.
    pub min_tokens: usize,
    /// The number of parts of each sequence. With one, sums run by themselves.
    pub parts: usize,
}

impl Default for PromptSplit {
    fn default() -> Self {
        Self { min_tokens: usize::MAX, parts: 1 }
    }
}

impl PromptSplit {
    /// In how many parts so many sequences of `length` tokens are processed.
    pub(super) fn parts(self, batch: usize, length: usize) -> usize {
        if batch * length < self.min_tokens { 1 } else { self.parts.min(length) }
    }
}

/// Tokens on their way through the layers. Those of a later part see the keys and values of the earlier ones.
pub(super) struct Part {
    x: Tensor,
    /// What the last layer adds to that. A part of several must not read it before the next one's sum has begun.
    addend: Option<Tensor>,
    /// Of the first token, in the sequence.
    pub(super) position: usize,
    pub(super) mask: Option<Mask>,
}

impl Part {
    /// `x` is the embeddings, [batch, tokens, hidden].
    pub(super) fn new(x: Tensor, position: usize) -> Result<Self> {
        let mask = Mask::new(x.dim(1)?, position, x.device())?;
        Ok(Self { x, addend: None, position, mask })
    }

    /// What the layers so far have made of the embeddings.
    pub(super) fn residual(&mut self) -> Result<Tensor> {
        if let Some(addend) = self.addend.take() {
            self.x = (addend + &self.x)?;
        }
        Ok(self.x.clone())
    }

    pub(super) fn add(&mut self, addend: Tensor) {
        self.addend = Some(addend);
    }
}

/// How layers that are split by inputs are summed among the ranks.
pub(super) enum Sums<'a> {
    /// What follows waits.
    InOrder,
    /// What follows is of another part, and does not wait.
    Beside {
        side: &'a SideStream,
        /// What the ranks are summing.
        under_way: Option<Tensor>,
    },
}

impl<'a> Sums<'a> {
    pub(super) fn beside(side: &'a SideStream) -> Self {
        Self::Beside { side, under_way: None }
    }

    /// The layer's outputs. Unless sums are in order, they can be read once the next sum was started, or after [`Sums::finish`].
    pub(super) fn of(&mut self, layer: &RowParallel, x: &Tensor) -> Result<Tensor> {
        let (side, under_way) = match self {
            Self::InOrder => return layer.forward(x),
            Self::Beside { side, under_way } => (side, under_way),
        };
        let part = layer.own_part(x)?.contiguous()?;
        // The sums run one after the other: this one could not begin earlier, and what follows it reads the one before.
        if let Some(before) = under_way.take() {
            side.wait(vec![before])?;
        }
        let sum = side.reduce(Kind::SumOfParts, &part)?;
        *under_way = Some(part);
        Ok(sum)
    }

    /// Has what follows wait for all sums, which these parts have.
    pub(super) fn finish(self, parts: &[Part]) -> Result<()> {
        let Self::Beside { side, under_way } = self else { return Ok(()) };
        let sums = parts.iter().filter_map(|part| part.addend.clone());
        side.wait(under_way.into_iter().chain(sums).collect())
    }
}

#[cfg(all(test, target_os = "linux", target_arch = "x86_64"))]
mod tests;
