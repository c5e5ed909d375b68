//! Linear layers, whole and in parts.

use candle_core::quantized::QMatMul;
use candle_core::{Module, Result, Tensor};

use crate::Communicator;

/// A product with weights [out, in], without a bias.
#[derive(Clone, Debug)]
pub enum Linear {
    /// Weights of the activations' dtype.
    Dense(candle_nn::Linear),
    /// Weights in blocks.
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

/// A linear layer of which each rank has some of the outputs. The input is whole; the result is the rank's part, for a [`RowParallel`]
/// layer, or to be [gathered](Communicator::all_gather).
#[derive(Clone, Debug)]
pub struct ColumnParallel {
    part: Linear,
    communicator: Option<Communicator>,
}

impl ColumnParallel {
    /// `part`: [out / ranks, in]. Without a communicator the layer is whole.
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

/// A linear layer of which each rank has some of the inputs. The input is the rank's part; the result is whole.
#[derive(Clone, Debug)]
pub struct RowParallel {
    part: Linear,
    communicator: Option<Communicator>,
}

impl RowParallel {
    /// `part`: [out, in / ranks]. Without a communicator the layer is whole.
    pub fn new(part: impl Into<Linear>, communicator: Option<&Communicator>) -> Self {
        Self { part: part.into(), communicator: communicator.cloned() }
    }
}

impl Module for RowParallel {
    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        let y = self.part.forward(x)?;
        match &self.communicator {
            Some(communicator) => communicator.sum_of_parts(&y),
            None => Ok(y),
        }
    }
}
