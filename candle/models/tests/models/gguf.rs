//! Writes GGUF files and compares the models in them on `Device::Rocm` and on the CPU.

use std::io::{Cursor, Seek, Write};

use candle_core::quantized::gguf_file::{self, Content, Value};
use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::rocm::{forbid_fallback, relative_error};
use candle_core::{Device, Result, Tensor};
use candle_rocm_models::Sequence;
use candle_rocm_tests::devices;

pub const VOCABULARY: usize = 320;

/// Both sides start from the same quantized weights. Before each product, the CPU quantizes activations to 8 bits in steps of 1/127 of the
/// largest in a block of 32 or 256, which is 3 times the typical activation, or 5 times if activations are products of two numbers. That is
/// an error of up to 5 / 127 / sqrt(12) = 1.1 % of an activation, and of a sum of products, since the errors are independent. Devices do
/// the same or are more precise. Two layers are eight products in sequence: 1.1 % * sqrt(8) = 3.2 % of a typical logit. The largest of
/// hundreds of errors is 3 times that, but so is the largest logit; the rest is a margin. A wrong scale or position is an error of 50 % or
/// more.
const TOLERANCE: f32 = 0.06;

/// The contents of a model file: metadata, and tensors with their shapes. 1-D tensors and convolution weights are f32.
pub struct Gguf {
    pub architecture: &'static str,
    pub metadata: Vec<(&'static str, Value)>,
    pub tensors: Vec<(String, Vec<usize>)>,
}

impl Gguf {
    /// Writes the file, cycling through the types for the weights, since files mix types.
    pub fn file(&self, types: &[GgmlDType]) -> Result<Vec<u8>> {
        let mut metadata =
            vec![("general.architecture".to_owned(), Value::String(self.architecture.to_owned()))];
        for (name, value) in &self.metadata {
            let name = if name.contains("general.") {
                (*name).to_owned()
            } else {
                format!("{}.{name}", self.architecture)
            };
            metadata.push((name, value.clone()));
        }
        let mut tensors = Vec::new();
        for (i, (name, shape)) in self.tensors.iter().enumerate() {
            let inputs = shape[shape.len() - 1];
            // Scale factors of norms are about 1, biases small; matrices preserve the scale of their input.
            let (scale, shift) = match shape.len() {
                1 if name.ends_with("norm.weight") => (0.1, 1.0),
                1 => (0.1, 0.0),
                _ => ((3.0 / inputs as f32).sqrt(), 0.0),
            };
            let values = Sequence(i as u64).take(shape.iter().product()).map(|x| x * scale + shift);
            let values: Vec<f32> = values.collect();
            let values = Tensor::from_vec(values, shape.as_slice(), &Device::Cpu)?;
            let plain = shape.len() == 1 || name.contains("conv.weight");
            let dtype = if plain { GgmlDType::F32 } else { types[i % types.len()] };
            tensors.push((name.as_str(), QTensor::quantize(&values, dtype)?));
        }
        let metadata: Vec<_> = metadata.iter().map(|(name, value)| (name.as_str(), value)).collect();
        let tensors: Vec<_> = tensors.iter().map(|(name, tensor)| (*name, tensor)).collect();
        let mut file = Cursor::new(Vec::new());
        gguf_file::write(&mut file, &metadata, &tensors)?;
        file.seek(std::io::SeekFrom::End(0))?;
        file.flush()?;
        Ok(file.into_inner())
    }
}

/// The number of tokens in each call: a prompt, single tokens, and a longer text that uses a different kernel.
pub const CALLS: &[usize] = &[5, 1, 1, 20, 1];

/// The logits of each call.
pub fn logits(
    device: &Device,
    calls: &[usize],
    mut forward: impl FnMut(&Tensor, usize) -> Result<Tensor>,
) -> Result<Vec<Tensor>> {
    let mut results = Vec::new();
    let mut position = 0;
    for &count in calls {
        let tokens: Vec<u32> = (position..position + count).map(|i| (i * 37 % VOCABULARY) as u32).collect();
        results.push(forward(&Tensor::new(tokens.as_slice(), device)?.unsqueeze(0)?, position)?);
        position += count;
    }
    Ok(results)
}

/// Loads the model with `load` and compares all devices with the CPU.
pub fn agrees<M>(
    gguf: &Gguf,
    types: &[GgmlDType],
    calls: &[usize],
    load: impl Fn(Content, &mut Cursor<Vec<u8>>, &Device) -> Result<M>,
    forward: impl Fn(&mut M, &Tensor, usize) -> Result<Tensor>,
) -> Result<()> {
    let file = gguf.file(types)?;
    let run = |device: &Device| {
        let mut file = Cursor::new(file.clone());
        let mut model = load(Content::read(&mut file)?, &mut file, device)?;
        logits(device, calls, |tokens, position| forward(&mut model, tokens, position))
    };
    matches(&run(&Device::Cpu)?, run)
}

/// Compares the logits that `run` computes on all devices with the expected ones.
pub fn matches(expected: &[Tensor], run: impl Fn(&Device) -> Result<Vec<Tensor>>) -> Result<()> {
    forbid_fallback();
    for device in devices() {
        let results = run(&device)?;
        assert_eq!(results.len(), expected.len());
        for (i, (result, expected)) in results.iter().zip(expected).enumerate() {
            assert!(result.device().same_device(&device), "call {i}: logits on {:?}", result.device());
            let error = relative_error(result, expected)?;
            assert!(error <= TOLERANCE, "call {i}: off by {error}");
        }
    }
    Ok(())
}
