//! Writes GGUF files and compares the models in them on `Device::Rocm` and on the CPU.

use std::io::{Cursor, Seek, Write};

use candle_core::quantized::gguf_file::{self, Content, Value};
use candle_core::quantized::{GgmlDType, QTensor};
use candle_core::rocm::{forbid_fallback, relative_error};
use candle_core::{Device, Result, Tensor};
use candle_rocm_models::Sequence;
use candle_rocm_tests::devices;

pub const VOCABULARY: usize = 320;

/// Both sides start from the same quantized weights. Before each product the CPU rounds activations to 8 bits, by steps of
/// 1/127 of the largest in a block of 32 or 256: 3 times the usual one, and 5 times where activations are products of two
/// numbers. That is an error of up to 5 / 127 / sqrt(12) = 1.1 % for an activation, and as much for a sum of products, whose
/// errors are independent. Devices do the same, or are more precise. Two layers are eight products one after the other: 1.1 %
/// * sqrt(8) = 3.2 % of a usual logit. The largest of hundreds of errors is 3 times that, while the largest logit is 3 times
/// the usual one; the rest is for chance. A wrong scale or position is an error of 50 % and more.
const TOLERANCE: f32 = 0.06;

/// What a model's file holds: metadata, and tensors with their shapes. Those of one dimension, and convolutions' weights, are in
/// f32.
pub struct Gguf {
    pub architecture: &'static str,
    pub metadata: Vec<(&'static str, Value)>,
    pub tensors: Vec<(String, Vec<usize>)>,
}

impl Gguf {
    /// Weights in the types one after the other, as files mix them.
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
            // Norms' factors are about 1, biases small; matrices keep the size of what they multiply.
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

/// A prompt, one token after the other, and a longer text that goes to another kernel: tokens of each call.
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

/// Runs the model that `load` makes of the file on the CPU and on all devices.
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

/// Compares the logits of each call with those that `run` finds on all devices.
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
