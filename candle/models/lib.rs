//! Models of candle-transformers, unmodified, on `Device::Rocm` against the CPU: the same weights, the same inputs.

use candle_core::rocm::{forbid_fallback, relative_error};
use candle_core::{DType, Device, Result, Shape, Tensor};
use candle_nn::var_builder::SimpleBackend;
use candle_nn::{Init, VarBuilder};
use candle_rocm_tests::devices;

/// Runs `model` on the CPU and on each device, in f32, and compares all it returns, each to `tolerance` of its largest
/// value. Nothing may fall back to the CPU.
pub fn agrees(tolerance: f32, model: impl Fn(VarBuilder) -> Result<Vec<Tensor>>) -> Result<()> {
    agrees_in(&[(DType::F32, tolerance)], model)
}

/// [`agrees`] in several data types, against f32 on the CPU.
pub fn agrees_in(dtypes: &[(DType, f32)], model: impl Fn(VarBuilder) -> Result<Vec<Tensor>>) -> Result<()> {
    forbid_fallback();
    let expected = model(invented(DType::F32, &Device::Cpu))?;
    for device in devices() {
        for &(dtype, tolerance) in dtypes {
            let results = model(invented(dtype, &device))?;
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

/// Numbers from -1 to 1, always the same.
pub fn numbers(shape: impl Into<Shape>, seed: u64, vb: &VarBuilder) -> Result<Tensor> {
    let shape = shape.into();
    let values = Sequence(seed).take(shape.elem_count()).collect::<Vec<f32>>();
    Tensor::from_vec(values, shape, &Device::Cpu)?.to_device(vb.device())?.to_dtype(vb.dtype())
}

/// Tokens below `vocabulary`, always the same.
pub fn tokens(shape: impl Into<Shape>, vocabulary: u32, vb: &VarBuilder) -> Result<Tensor> {
    let shape = shape.into();
    let token = |x: f32| ((x + 1.) / 2. * vocabulary as f32) as u32 % vocabulary;
    let values = Sequence(7).take(shape.elem_count()).map(token).collect::<Vec<u32>>();
    Tensor::from_vec(values, shape, vb.device())
}

/// Weights for whatever a model asks for.
fn invented(dtype: DType, device: &Device) -> VarBuilder<'static> {
    VarBuilder::from_backend(Box::new(Invented), dtype, device.clone())
}

/// A weight is a function of its name and shape, so that it is the same on all devices. Matrices keep the size of what they
/// multiply; factors are about 1, variances above 0, all else is small.
struct Invented;

impl SimpleBackend for Invented {
    fn get(&self, shape: Shape, name: &str, _: Init, dtype: DType, device: &Device) -> Result<Tensor> {
        let last = name.rsplit('.').next().unwrap_or(name);
        let inputs: usize = shape.dims().iter().skip(1).product();
        let (scale, shift) = match (shape.rank(), last) {
            (0 | 1, "running_var") => (0.5, 1.),
            (0 | 1, "weight" | "gamma") => (0.1, 1.),
            (0 | 1, _) => (0.1, 0.),
            _ => ((3. / inputs as f32).sqrt(), 0.),
        };
        let seed = name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let values = Sequence(seed).take(shape.elem_count()).map(|x| x * scale + shift).collect::<Vec<f32>>();
        Tensor::from_vec(values, shape, &Device::Cpu)?.to_device(device)?.to_dtype(dtype)
    }

    fn get_unchecked(&self, name: &str, _: DType, _: &Device) -> Result<Tensor> {
        candle_core::bail!("{name} is asked for without a shape")
    }

    fn contains_tensor(&self, _: &str) -> bool {
        true
    }
}

/// Numbers from -1 to 1 (SplitMix64).
struct Sequence(u64);

impl Iterator for Sequence {
    type Item = f32;

    fn next(&mut self) -> Option<f32> {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let bits = (x ^ (x >> 31)) >> 40;
        Some(bits as f32 / (1 << 23) as f32 - 1.)
    }
}
