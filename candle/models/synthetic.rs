//! Deterministic synthetic weights and inputs.

use candle_core::{DType, Device, Result, Shape, Tensor};
use candle_nn::var_builder::SimpleBackend;
use candle_nn::{Init, VarBuilder};

use crate::values::{self, Sequence};

/// Provides synthetic weights for every tensor that a model requests.
///
/// They depend only on the tensor's name and shape, as [`values::of`] says, so all devices get the same.
#[derive(Clone, Copy, Default)]
pub struct Weights {
    /// Name suffixes and shapes of tensors that a model requests without a shape.
    pub shapes: &'static [(&'static str, &'static [usize])],
    /// Substrings of the names of missing tensors.
    pub without: &'static [&'static str],
}

impl Weights {
    /// For a model of that dtype on the device.
    pub fn on(self, dtype: DType, device: &Device) -> VarBuilder<'static> {
        VarBuilder::from_backend(Box::new(self), dtype, device.clone())
    }
}

impl SimpleBackend for Weights {
    fn get(&self, shape: Shape, name: &str, _: Init, dtype: DType, device: &Device) -> Result<Tensor> {
        // A size of 0 stands for an optional layer that is missing.
        if !self.contains_tensor(name) || shape.elem_count() == 0 {
            candle_core::bail!("cannot find tensor {name}")
        }
        on(values::of(name, shape.dims()), shape, dtype, device)
    }

    fn get_unchecked(&self, name: &str, dtype: DType, device: &Device) -> Result<Tensor> {
        match self.shapes.iter().find(|(end, _)| name.ends_with(end)) {
            Some((_, shape)) => self.get(Shape::from(*shape), name, Init::Const(0.), dtype, device),
            None => candle_core::bail!("{name} is requested without a shape"),
        }
    }

    fn contains_tensor(&self, name: &str) -> bool {
        !self.without.iter().any(|part| name.contains(part))
    }
}

/// Numbers in [-1, 1].
pub fn numbers(shape: impl Into<Shape>, seed: u64, vb: &VarBuilder) -> Result<Tensor> {
    let shape = shape.into();
    on(Sequence(seed).take(shape.elem_count()).collect(), shape, vb.dtype(), vb.device())
}

/// Tokens below `vocabulary`.
pub fn tokens(shape: impl Into<Shape>, vocabulary: u32, vb: &VarBuilder) -> Result<Tensor> {
    let shape = shape.into();
    let token = |x: f32| ((x + 1.) / 2. * vocabulary as f32) as u32 % vocabulary;
    let values = Sequence(7).take(shape.elem_count()).map(token).collect::<Vec<u32>>();
    Tensor::from_vec(values, shape, vb.device())
}

fn on(values: Vec<f32>, shape: Shape, dtype: DType, device: &Device) -> Result<Tensor> {
    Tensor::from_vec(values, shape, &Device::Cpu)?.to_device(device)?.to_dtype(dtype)
}
