//! Runs candle-transformers' unmodified models on `Device::Rocm` and on the CPU with the same weights and inputs.

mod synthetic;
mod values;

use candle_core::rocm::{forbid_fallback, relative_error};
use candle_core::{DType, Device, Result, Tensor};
use candle_nn::VarBuilder;
use candle_rocm_tests::devices;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

pub use synthetic::{Weights, numbers, tokens};
pub use values::Sequence;

/// Tolerance in f32, where devices differ in the order of additions.
pub const F32: f32 = 1e-5;
/// Tolerance in f16, whose rounding errors accumulate over a model's layers.
pub const F16: f32 = 1e-2;

/// Runs `model` in f32 on the CPU and on each device. Every returned tensor must agree within [`F32`], relative to its largest value, and
/// nothing may fall back to the CPU.
pub fn agrees(model: impl Fn(VarBuilder<'static>) -> Result<Vec<Tensor>>) -> Result<()> {
    compare(Weights::default(), DType::F32, &[(DType::F32, F32)], &model)
}

/// [`agrees`] with other weights.
pub fn agrees_with(
    weights: Weights,
    model: impl Fn(VarBuilder<'static>) -> Result<Vec<Tensor>>,
) -> Result<()> {
    compare(weights, DType::F32, &[(DType::F32, F32)], &model)
}

/// [`agrees`] in several data types, against f32 on the CPU.
pub fn agrees_in(
    dtypes: &[(DType, f32)],
    model: impl Fn(VarBuilder<'static>) -> Result<Vec<Tensor>>,
) -> Result<()> {
    compare(Weights::default(), DType::F32, dtypes, &model)
}

/// [`agrees_with`] in f16 on both sides, for models that only run in f16.
pub fn agrees_in_f16(
    weights: Weights,
    model: impl Fn(VarBuilder<'static>) -> Result<Vec<Tensor>>,
) -> Result<()> {
    compare(weights, DType::F16, &[(DType::F16, F16)], &model)
}

fn compare(
    weights: Weights,
    reference: DType,
    dtypes: &[(DType, f32)],
    model: &dyn Fn(VarBuilder<'static>) -> Result<Vec<Tensor>>,
) -> Result<()> {
    forbid_fallback();
    let expected = model(weights.on(reference, &Device::Cpu))?;
    for device in devices() {
        for &(dtype, tolerance) in dtypes {
            let results = model(weights.on(dtype, &device))?;
            assert_eq!(results.len(), expected.len());
            for (i, (result, expected)) in results.iter().zip(&expected).enumerate() {
                assert!(result.device().same_device(&device), "result {i} is on {:?}", result.device());
                let error = relative_error(result, expected)?;
                assert!(error <= tolerance, "result {i} in {dtype:?}: {error}");
            }
        }
    }
    Ok(())
}

/// [`small`] as a model's configuration.
pub fn config<C: DeserializeOwned>(own: Value) -> Result<C> {
    serde_json::from_value(small(own)).map_err(candle_core::Error::wrap)
}

/// The config.json of a small transformer, with `own` fields added or replaced.
pub fn small(own: Value) -> Value {
    let mut config = json!({
        "vocab_size": 80,
        "hidden_size": 64,
        "intermediate_size": 96,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 16,
        "hidden_act": "silu",
        "max_position_embeddings": 32,
        "rms_norm_eps": 1e-5,
        "layer_norm_eps": 1e-5,
        "rope_theta": 10000.,
        "attention_bias": false,
        "tie_word_embeddings": false,
        "image_size": 24,
        "patch_size": 8,
        "num_channels": 3,
    });
    if let (Value::Object(config), Value::Object(own)) = (&mut config, own) {
        config.extend(own);
    }
    config
}
