//! Linear layers, whole and in parts.

use candle_core::quantized::QMatMul;
use candle_core::{Module, Result, Tensor};

use crate::Communicator;

/// A linear layer with weights [out, in] and without a bias.
#[derive(Clone, Debug)]
pub enum Linear {
    /// Weights of the activations' dtype.
    Dense(candle_nn::Linear),
    /// Weights in quantized blocks.
    Quantized(QMatMul),
}

impl From<Tensor> for Linear {
    fn from(weight: Tensor) -> Self {
        Self::Dense(candle_nn::Linear::new(weight, None))
    }
}

impl Module for Linear {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        match self {
            Self::Dense(linear) => linear.forward(x),
            Self::Quantized(linear) => linear.forward(x),
        }
    }
}

/// A linear layer split by outputs. Each rank takes the whole input and returns its part of the outputs, for a [`RowParallel`] layer or to
/// be [gathered](Communicator::all_gather).
#[derive(Clone, Debug)]
pub struct ColumnParallel {
    part: Linear,
    communicator: Option<Communicator>,
}

impl ColumnParallel {
    /// Creates the layer from this rank's `part` of the weights, [out / ranks, in]. Without a communicator, `part` is the whole layer.
    pub fn new(part: impl Into<Linear>, communicator: Option<&Communicator>) -> Self {
        Self { part: part.into(), communicator: communicator.cloned() }
    }
}

impl Module for ColumnParallel {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        match &self.communicator {
            Some(communicator) => self.part.forward(&communicator.parts(x)?),
            None => self.part.forward(x),
        }
    }
}

/// A linear layer split by inputs. Each rank takes its part of the inputs and returns the whole result.
#[derive(Clone, Debug)]
pub struct RowParallel {
    part: Linear,
    communicator: Option<Communicator>,
}

impl RowParallel {
    /// Creates the layer from this rank's `part` of the weights, [out, in / ranks]. Without a communicator, `part` is the whole layer.
    pub fn new(part: impl Into<Linear>, communicator: Option<&Communicator>) -> Self {
        Self { part: part.into(), communicator: communicator.cloned() }
    }
}

impl RowParallel {
    /// What this rank has of the sum.
    pub(crate) fn own_part(&self, x: &Tensor) -> Result<Tensor> {
        self.part.forward(x)
    }
}

impl Module for RowParallel {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let y = self.own_part(x)?;
        match &self.communicator {
            Some(communicator) => communicator.sum_of_parts(&y),
            None => Ok(y),
        }
    }
}
