//! Linear layers of a decoder's step: a product with its bias and its activation is one launch, and so are those of the same vector.

use candle_core::quantized::{GgmlDType, QMatMul, QTensor};
use candle_core::{DType, Device, Module, Result, Tensor};
use candle_nn::{Activation, LayerNorm, Linear};
use candle_rocm::GemmEngine;
use candle_rocm_tests::{MODEL_FLOATS, random};

use super::{both, generated, own, recording};

/// rocBLAS does not count its launches.
fn recording_own_kernels() -> Vec<Device> {
    let devices = recording();
    devices.iter().for_each(|device| own(device).set_gemm_engine(GemmEngine::Kernels));
    devices
}

struct Numbers<'a>(&'a Device, DType);

impl Numbers<'_> {
    fn of(&self, shape: &[usize]) -> Result<Tensor> {
        random(shape)?.to_dtype(self.1)?.to_device(self.0)
    }

    fn linear(&self, n: usize, k: usize) -> Result<Linear> {
        Ok(Linear::new(self.of(&[n, k])?, Some(self.of(&[n])?)))
    }
}

/// The same bits with fusion as without, in so many launches.
#[track_caller]
pub(super) fn check(
    device: &Device,
    name: &str,
    (plain, joined): (usize, usize),
    f: impl Fn() -> Result<Vec<Tensor>>,
) -> Result<()> {
    let [(expected, many), (got, few)] = both(device, || {
        let results = f()?;
        device.synchronize()?;
        Ok(results)
    })?;
    assert_eq!((many, few), (plain, joined), "{name}, {device:?}");
    for (expected, got) in expected.iter().zip(&got) {
        assert_eq!(bits(expected)?, bits(got)?, "{name}, {device:?}");
    }
    Ok(())
}

/// Zeros of f16 are alike: behind an activation they may have either sign.
fn bits(x: &Tensor) -> Result<Vec<u64>> {
    const NEGATIVE: u64 = 1 << 31;
    let mut bits = generated::bits(x)?;
    bits.iter_mut().filter(|bits| x.dtype() == DType::F16 && **bits == NEGATIVE).for_each(|bits| *bits = 0);
    Ok(bits)
}

#[test]
fn biases() -> Result<()> {
    for device in recording_own_kernels() {
        for dtype in MODEL_FLOATS {
            let numbers = Numbers(&device, dtype);
            let [q, k, v] = [numbers.linear(40, 24)?, numbers.linear(8, 24)?, numbers.linear(8, 24)?];
            for shape in [&[1, 24][..], &[1, 1, 24], &[1, 5, 24], &[2, 3, 24]] {
                let x = numbers.of(shape)?;
                let name = format!("{shape:?}, {dtype:?}");
                // Queries, keys and values; as Whisper has them, keys without a bias.
                check(&device, &name, (6, 1), || Ok(vec![q.forward(&x)?, k.forward(&x)?, v.forward(&x)?]))?;
                let plain = Linear::new(k.weight().clone(), None);
                check(&device, &name, (5, 1), || {
                    Ok(vec![q.forward(&x)?, plain.forward(&x)?, v.forward(&x)?])
                })?;
                // One by itself.
                check(&device, &name, (2, 1), || Ok(vec![q.forward(&x)?]))?;
                check(&device, &name, (1, 1), || Ok(vec![plain.forward(&x)?]))?;
                // On the other side.
                let (weight, bias) = (k.weight().t()?, k.bias().expect("a bias"));
                let rows = x.flatten_to(x.rank() - 2)?;
                check(&device, &name, (2, 1), || Ok(vec![bias.broadcast_add(&rows.matmul(&weight)?)?]))?;
            }
        }
    }
    Ok(())
}

#[test]
fn activations() -> Result<()> {
    for device in recording_own_kernels() {
        for dtype in MODEL_FLOATS {
            let numbers = Numbers(&device, dtype);
            let up = numbers.linear(40, 24)?;
            for rows in [1, 7] {
                let x = numbers.of(&[rows, 24])?;
                // In the order of the enum, and one that is no kernel's.
                for (activation, joined) in [
                    (Activation::Relu, 1),
                    (Activation::Gelu, 1),
                    (Activation::NewGelu, 1),
                    (Activation::Silu, 1),
                    (Activation::Sigmoid, 2),
                ] {
                    let name = format!("{activation:?} of {rows} rows, {dtype:?}");
                    check(&device, &name, (3, joined), || Ok(vec![activation.forward(&up.forward(&x)?)?]))?;
                }
                let plain = Linear::new(up.weight().clone(), None);
                check(&device, "no bias", (2, 1), || Ok(vec![plain.forward(&x)?.relu()?]))?;
            }
        }
    }
    Ok(())
}

/// What somebody else reads is written. Whatever else is added to a product is, too, by any of its kernels.
#[test]
fn epilogues_of_any_product() -> Result<()> {
    for device in recording_own_kernels() {
        let numbers = Numbers(&device, DType::F32);
        let (layer, x) = (numbers.linear(40, 24)?, numbers.of(&[3, 24])?);
        let (weight, bias) = (layer.weight().t()?, layer.bias().expect("a bias"));
        check(&device, "the product is read", (2, 2), || {
            let product = x.matmul(&weight)?;
            Ok(vec![product.broadcast_add(bias)?, product])
        })?;
        check(&device, "the sum is read", (3, 2), || {
            let sum = layer.forward(&x)?;
            Ok(vec![sum.relu()?, sum])
        })?;
        let matrix = numbers.of(&[3, 40])?;
        check(&device, "a matrix", (2, 1), || Ok(vec![(x.matmul(&weight)? + &matrix)?]))?;
        let column = numbers.of(&[3, 1])?;
        check(&device, "a column", (2, 1), || Ok(vec![x.matmul(&weight)?.broadcast_add(&column)?]))?;
        let element = numbers.of(&[1])?;
        check(&device, "an element", (2, 1), || Ok(vec![x.matmul(&weight)?.broadcast_add(&element)?]))?;
        check(&device, "a bias that is not there yet", (3, 2), || {
            Ok(vec![x.matmul(&weight)?.broadcast_add(&(bias * 2.)?)?])
        })?;
        check(&device, "twice", (2, 2), || {
            let product = x.matmul(&weight)?;
            Ok(vec![(&product + &product)?])
        })?;
        check(&device, "part", (2, 2), || {
            Ok(vec![x.matmul(&weight)?.narrow(0, 1, 1)?.broadcast_add(bias)?])
        })?;
        let many = numbers.of(&[9, 24])?;
        check(&device, "many rows", (2, 1), || Ok(vec![layer.forward(&many)?]))?;
        // A bias that is written to behind its use.
        let changing = bias.copy()?;
        let read = Linear::new(layer.weight().clone(), Some(changing.clone())).forward(&x)?;
        changing.zero_set()?;
        assert_eq!(generated::bits(&read)?, generated::bits(&layer.forward(&x)?)?);
    }
    Ok(())
}

/// Biases and matrices, by each of the kernels, over dtypes and layouts.
#[test]
fn additions_to_products() -> Result<()> {
    for device in recording_own_kernels() {
        for dtype in [DType::F32, DType::F16, DType::BF16, DType::F64, DType::U32] {
            let numbers = Numbers(&device, dtype);
            let of = |shape: &[usize]| match dtype {
                DType::U32 => {
                    Tensor::arange(0u32, shape.iter().product::<usize>() as u32, &device)?.reshape(shape)
                }
                _ => numbers.of(shape),
            };
            // Few rows and few columns; tiles of 32, 64 and 128, and those that stick out.
            for (m, n, k) in [(1, 40, 24), (9, 5, 24), (7, 19, 8), (33, 40, 16), (70, 65, 24), (264, 250, 40)]
            {
                let (x, w) = (of(&[m, k])?, of(&[n, k])?);
                let (row, matrix, column) = (of(&[n])?, of(&[m, n])?, of(&[m, 1])?);
                let transposed = of(&[n, m])?.t()?;
                let across = of(&[k, n])?;
                for matrix_cores in [false, true] {
                    own(&device).set_matrix_cores(matrix_cores);
                    let name = format!("{m} x {n} x {k}, {dtype:?}, matrix cores {matrix_cores}");
                    let with = |what: &str, addend: &Tensor| {
                        let name = format!("{what}, {name}");
                        check(&device, &name, (2, 1), || Ok(vec![x.matmul(&w.t()?)?.broadcast_add(addend)?]))
                    };
                    with("row", &row)?;
                    with("matrix", &matrix)?;
                    with("column", &column)?;
                    with("transposed", &transposed)?;
                    with("element", &row.narrow(0, 1, 1)?)?;
                    with("part", &of(&[m, n + 3])?.narrow(1, 2, n)?)?;
                    check(&device, &name, (2, 1), || Ok(vec![row.broadcast_add(&x.matmul(&across)?)?]))?;
                }
            }
        }
    }
    Ok(())
}

/// The residual connection and the norm before it, too: the norm adds in another order.
#[test]
fn behind_norms() -> Result<()> {
    for device in recording_own_kernels() {
        for (dtype, tolerance) in [(DType::F32, 1e-5), (DType::F16, 8e-3), (DType::BF16, 6e-2)] {
            let numbers = Numbers(&device, dtype);
            let (x, y) = (numbers.of(&[1, 1, 64])?, numbers.of(&[1, 1, 64])?);
            let norm = LayerNorm::new(numbers.of(&[64])?, numbers.of(&[64])?, 1e-5);
            // As long as rows of a model's MLP, and as those of its head.
            for (n, joined) in [(256, 1), (600, 2)] {
                let up = numbers.linear(n, 64)?;
                let [(plain, many), (joined_sum, few)] = both(&device, || {
                    let sum = (&x + &y)?;
                    let up = up.forward(&norm.forward(&sum)?)?.gelu_erf()?;
                    device.synchronize()?;
                    Ok([sum, up])
                })?;
                assert_eq!((many, few), (5, joined), "{n} rows, {dtype:?}, {device:?}");
                for (plain, joined) in plain.iter().zip(&joined_sum) {
                    let [plain, joined] = [plain, joined].map(|x| x.to_dtype(DType::F32)?.flatten_all());
                    let difference = (plain? - joined?)?.abs()?.max(0)?.to_scalar::<f32>()?;
                    assert!(difference <= tolerance, "{difference}: {n} rows, {dtype:?}, {device:?}");
                }
            }
        }
    }
    Ok(())
}

/// As GGUF files of Qwen2 have them: quantized weights, and biases in f32.
#[test]
fn quantized_biases() -> Result<()> {
    for device in recording() {
        let numbers = Numbers(&device, DType::F32);
        let weights = |rows: usize, dtype| -> Result<QMatMul> {
            QMatMul::from_qtensor(QTensor::quantize(&numbers.of(&[rows, 256])?, dtype)?)
        };
        let (q, k) = (weights(512, GgmlDType::Q4K)?, weights(64, GgmlDType::Q4K)?);
        let v = weights(64, GgmlDType::Q6K)?;
        let [of_q, of_k, of_v] = [numbers.of(&[512])?, numbers.of(&[64])?, numbers.of(&[64])?];
        let x = numbers.of(&[1, 1, 256])?;
        let [(plain, single), (joined, together)] = both(&device, || {
            let layer = |weights: &QMatMul, bias| weights.forward(&x)?.broadcast_add(bias);
            let all = [layer(&q, &of_q)?, layer(&k, &of_k)?, layer(&v, &of_v)?];
            device.synchronize()?;
            Ok(all)
        })?;
        for (plain, joined) in plain.iter().zip(&joined) {
            assert_eq!(generated::bits(plain)?, generated::bits(joined)?, "{device:?}");
        }
        // Where vectors are streamed, one launch for each type.
        let streamed = own(&device).platform() != candle_rocm::platform::HOST;
        assert!(together <= if streamed { 2 } else { single }, "{together} of {single}, {device:?}");
    }
    Ok(())
}

/// The residual connection and the RMS norm before a quantized gate, of small integers: their squares add up to the same in any order.
#[test]
fn quantized_gates_behind_norms() -> Result<()> {
    for device in recording() {
        let numbers = Numbers(&device, DType::F32);
        let integers = |step: usize| {
            let values: Vec<f32> = (0..256).map(|i| (i * step % 3) as f32 - 1.).collect();
            Tensor::from_vec(values, (1, 1, 256), &device)
        };
        let weights = || QMatMul::from_qtensor(QTensor::quantize(&numbers.of(&[320, 256])?, GgmlDType::Q4K)?);
        let (gate, up, alpha) = (weights()?, weights()?, numbers.of(&[256])?);
        let (x, y) = (integers(5)?, integers(7)?);
        let [(plain, single), (joined, together)] = both(&device, || {
            let sum = (&x + &y)?;
            let row = candle_nn::ops::rms_norm(&sum, &alpha, 1e-5)?;
            let gated = (gate.forward(&row)?.silu()? * up.forward(&row)?)?;
            drop(row);
            device.synchronize()?;
            Ok([sum, gated])
        })?;
        for (plain, joined) in plain.iter().zip(&joined) {
            assert_eq!(generated::bits(plain)?, generated::bits(joined)?, "{device:?}");
        }
        let streamed = own(&device).platform() != candle_rocm::platform::HOST;
        assert!(together <= if streamed { 1 } else { single }, "{together} of {single}, {device:?}");
    }
    Ok(())
}
