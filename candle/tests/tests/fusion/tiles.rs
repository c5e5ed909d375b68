//! Products of many vectors with quantized weights: what is added, activations and gates are epilogues of tiles, and vectors are quantized
//! once for all matrices.

use std::ops::RangeInclusive;

use candle_core::quantized::{GgmlDType, QMatMul, QTensor};
use candle_core::{DType, Device, Module, Result, Tensor};
use candle_rocm::Tuning;
use candle_rocm_tests::random;

use super::{both, generated, own, recording};

/// Vectors, and columns of the weights.
const VECTORS: usize = 40;
const COLUMNS: usize = 256;

/// Has products with weights of so many rows computed in tiles, on any card.
fn choose_tiles(
    device: &Device,
    shapes: &[(GgmlDType, usize)],
    vectors: usize,
    columns: usize,
) -> Result<()> {
    let device = own(device);
    device.set_tuning(Tuning::Stored);
    let line = |&(dtype, rows): &(GgmlDType, usize)| {
        let name = match dtype {
            GgmlDType::Q4K => "q4_K",
            GgmlDType::Q6K => "q6_K",
            _ => "q8_0",
        };
        ["kernels", "rocblas"].map(|engine| {
            format!("quantized_matmul {name} f32 {engine} vectors={vectors} rows={rows} columns={columns} -> tiles\n")
        })
    };
    let lines: Vec<String> = shapes.iter().flat_map(line).collect();
    let header: String = device.export_tuning().lines().take(5).map(|line| format!("{line}\n")).collect();
    let chosen = device.import_tuning(&format!("{header}{}end {}\n", lines.concat(), lines.len()))?;
    assert_eq!(chosen, lines.len());
    Ok(())
}

fn weights(device: &Device, (dtype, rows): (GgmlDType, usize), columns: usize) -> Result<QMatMul> {
    QMatMul::from_qtensor(QTensor::quantize(&random(&[rows, columns])?.to_device(device)?, dtype)?)
}

/// The same bits with fusion as without, in so many launches one by one, and together.
#[track_caller]
fn check(
    device: &Device,
    name: &str,
    (single, together): (usize, RangeInclusive<usize>),
    f: impl Fn() -> Result<Vec<Tensor>>,
) -> Result<()> {
    let [(plain, many), (joined, few)] = both(device, || {
        let results = f()?;
        device.synchronize()?;
        Ok(results)
    })?;
    for (plain, joined) in plain.iter().zip(&joined) {
        assert_eq!(generated::bits(plain)?, generated::bits(joined)?, "{name}, {device:?}");
    }
    assert!(many == single && together.contains(&few), "{name}: {many}, {few}, {device:?}");
    Ok(())
}

#[test]
fn vectors_are_quantized_once() -> Result<()> {
    for device in recording() {
        let shapes = [(GgmlDType::Q4K, 512), (GgmlDType::Q4K, 64), (GgmlDType::Q6K, 64)];
        choose_tiles(&device, &shapes[..1], VECTORS, COLUMNS)?;
        choose_tiles(&device, &shapes[1..], VECTORS, COLUMNS)?;
        let [q, k, v] = shapes.map(|shape| weights(&device, shape, COLUMNS));
        let (q, k, v) = (q?, k?, v?);
        let x = random(&[1, VECTORS, COLUMNS])?.to_device(&device)?;
        check(&device, "queries, keys and values", (6, 4..=4), || {
            Ok(vec![q.forward(&x)?, k.forward(&x)?, v.forward(&x)?])
        })?;
        let [of_q, of_k, of_v] = [512, 64, 64].map(|rows| random(&[rows])?.to_device(&device));
        let (of_q, of_k, of_v) = (of_q?, of_k?, of_v?);
        check(&device, "with biases", (9, 4..=4), || {
            let layer = |weights: &QMatMul, bias| weights.forward(&x)?.broadcast_add(bias);
            Ok(vec![layer(&q, &of_q)?, layer(&k, &of_k)?, layer(&v, &of_v)?])
        })?;
        // Tiles of other dtypes have no epilogue: their sums are converted.
        let half = x.to_dtype(DType::F16)?;
        let [(.., many), (.., few)] = both(&device, || {
            let products = [q.forward(&half)?, k.forward(&half)?];
            device.synchronize()?;
            Ok(products)
        })?;
        assert_eq!(many, few, "{device:?}");
    }
    Ok(())
}

#[test]
fn epilogues() -> Result<()> {
    for device in recording() {
        let shape = (GgmlDType::Q8_0, 128);
        choose_tiles(&device, &[shape], VECTORS, COLUMNS)?;
        let layer = weights(&device, shape, COLUMNS)?;
        let x = random(&[1, VECTORS, COLUMNS])?.to_device(&device)?;
        let residual = random(&[1, VECTORS, 128])?.to_device(&device)?;
        let bias = random(&[128])?.to_device(&device)?;
        let alpha = bias.affine(0.5, 1.)?;
        check(&device, "a residual connection", (3, 2..=2), || Ok(vec![(layer.forward(&x)? + &residual)?]))?;
        check(&device, "and a norm of it", (4, 3..=3), || {
            let sum = (&residual + layer.forward(&x)?)?;
            Ok(vec![candle_nn::ops::rms_norm(&sum, &alpha, 1e-5)?, sum])
        })?;
        check(&device, "a residual that is computed behind the product", (4, 3..=3), || {
            let product = layer.forward(&x)?;
            let residual = residual.sqr()?;
            Ok(vec![(&product + &residual)?, residual])
        })?;
        check(&device, "a bias and an activation", (4, 2..=2), || {
            Ok(vec![layer.forward(&x)?.broadcast_add(&bias)?.gelu()?])
        })?;
        check(&device, "an activation", (3, 2..=2), || Ok(vec![layer.forward(&x)?.gelu_erf()?]))?;
        check(&device, "a product that others read, too", (3, 3..=3), || {
            let product = layer.forward(&x)?;
            Ok(vec![(&product + &residual)?, product])
        })?;
        check(&device, "twice the product", (3, 3..=3), || {
            let product = layer.forward(&x)?;
            Ok(vec![(&product + &product)?])
        })?;
        // Of columns, not of rows.
        let turned = residual.reshape((1, 128, VECTORS))?.transpose(1, 2)?;
        check(&device, "a residual in another order", (3, 3..=3), || {
            Ok(vec![(layer.forward(&x)? + &turned)?])
        })?;
    }
    Ok(())
}

/// In tiles of matrix cores, a gate and what it gates are one launch; else they share the vectors, and a generated kernel may be what computes
/// the rest.
#[test]
fn gates() -> Result<()> {
    const MANY: usize = 1024;
    for device in recording() {
        let shape = (GgmlDType::Q8_0, 896);
        choose_tiles(&device, &[shape], MANY, 32)?;
        let (gate, up) = (weights(&device, shape, 32)?, weights(&device, shape, 32)?);
        let x = random(&[1, MANY, 32])?.to_device(&device)?;
        let cores = own(&device).platform() != candle_rocm::platform::HOST;
        check(&device, "a gate", (6, if cores { 2..=2 } else { 4..=5 }), || {
            Ok(vec![(gate.forward(&x)?.silu()? * up.forward(&x)?)?])
        })?;
        let few = x.narrow(1, 0, 48)?;
        choose_tiles(&device, &[shape], 48, 32)?;
        check(&device, "a gate of few vectors", (6, 4..=5), || {
            Ok(vec![(gate.forward(&few)?.silu()? * up.forward(&few)?)?])
        })?;
    }
    Ok(())
}
