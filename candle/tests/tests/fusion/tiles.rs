//! Products of many vectors with quantized weights: what is added, activations and gates are epilogues of tiles, and vectors are quantized
//! once for all matrices.

use candle_core::quantized::{GgmlDType, QMatMul, QTensor};
use candle_core::{DType, Device, Module, Result};
use candle_rocm::Tuning;
use candle_rocm::kernels::{MatrixCores, Processor};
use candle_rocm::platform::{HOST, NVIDIA};
use candle_rocm_tests::random;

use super::products::check;
use super::{both, generated, own, recording};

/// Vectors, and columns of the weights.
const VECTORS: usize = 40;
const COLUMNS: usize = 256;

fn choose_tiles(
    device: &Device,
    shapes: &[(GgmlDType, usize)],
    vectors: usize,
    columns: usize,
) -> Result<()> {
    let products = shapes.iter().map(|&(dtype, rows)| (dtype, vectors, [rows, columns]));
    candle_rocm_tests::choose_tiles(own(device), products)
}

/// Cards of today.
fn has_matrix_cores(device: &Device) -> bool {
    let platform = own(device).platform();
    let of_amd = || Processor::nearest(own(device).arch()).matrix != MatrixCores::None;
    platform == NVIDIA || platform != HOST && of_amd()
}

fn weights(device: &Device, (dtype, rows): (GgmlDType, usize), columns: usize) -> Result<QMatMul> {
    QMatMul::from_qtensor(QTensor::quantize(&random(&[rows, columns])?.to_device(device)?, dtype)?)
}

#[test]
fn vectors_are_quantized_once() -> Result<()> {
    for device in recording() {
        let shapes = [(GgmlDType::Q4K, 512), (GgmlDType::Q4K, 64), (GgmlDType::Q6K, 64)];
        choose_tiles(&device, &shapes, VECTORS, COLUMNS)?;
        let [q, k, v] = shapes.map(|shape| weights(&device, shape, COLUMNS));
        let (q, k, v) = (q?, k?, v?);
        let x = random(&[1, VECTORS, COLUMNS])?.to_device(&device)?;
        check(&device, "queries, keys and values", (6, 4), || {
            Ok(vec![q.forward(&x)?, k.forward(&x)?, v.forward(&x)?])
        })?;
        let [of_q, of_k, of_v] = [512, 64, 64].map(|rows| random(&[rows])?.to_device(&device));
        let (of_q, of_k, of_v) = (of_q?, of_k?, of_v?);
        check(&device, "with biases", (9, 4), || {
            let layer = |weights: &QMatMul, bias| weights.forward(&x)?.broadcast_add(bias);
            Ok(vec![layer(&q, &of_q)?, layer(&k, &of_k)?, layer(&v, &of_v)?])
        })?;
        // For other dtypes tiles have no epilogue, because their sums are converted afterwards.
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
        check(&device, "a residual connection", (3, 2), || Ok(vec![(layer.forward(&x)? + &residual)?]))?;
        check(&device, "and a norm of it", (4, 3), || {
            let sum = (&residual + layer.forward(&x)?)?;
            Ok(vec![candle_nn::ops::rms_norm(&sum, &alpha, 1e-5)?, sum])
        })?;
        check(&device, "a residual that is computed after the product", (4, 3), || {
            let product = layer.forward(&x)?;
            let residual = residual.sqr()?;
            Ok(vec![(&product + &residual)?, residual])
        })?;
        check(&device, "a bias and an activation", (4, 2), || {
            Ok(vec![layer.forward(&x)?.broadcast_add(&bias)?.gelu()?])
        })?;
        check(&device, "an activation", (3, 2), || Ok(vec![layer.forward(&x)?.gelu_erf()?]))?;
        check(&device, "a product that others read, too", (3, 3), || {
            let product = layer.forward(&x)?;
            Ok(vec![(&product + &residual)?, product])
        })?;
        check(&device, "twice the product", (3, 3), || {
            let product = layer.forward(&x)?;
            Ok(vec![(&product + &product)?])
        })?;
        // Of columns, not of rows.
        let turned = residual.reshape((1, 128, VECTORS))?.transpose(1, 2)?;
        check(&device, "a residual in another order", (3, 3), || Ok(vec![(layer.forward(&x)? + &turned)?]))?;
    }
    Ok(())
}

/// In tiles of matrix cores, a gate and what it gates are one launch; else they share the quantized vectors, and a generated kernel may
/// compute the rest.
#[test]
fn gates() -> Result<()> {
    const MANY: usize = 1024;
    for device in recording() {
        let shape = (GgmlDType::Q8_0, 2048);
        let (gate, up) = (weights(&device, shape, 32)?, weights(&device, shape, 32)?);
        let x = random(&[1, MANY, 32])?.to_device(&device)?;
        for (vectors, in_one_tile) in [(MANY, has_matrix_cores(&device)), (48, false)] {
            choose_tiles(&device, &[shape], vectors, 32)?;
            let x = x.narrow(1, 0, vectors)?;
            let [(plain, many), (joined, few)] = both(&device, || {
                let gated = (gate.forward(&x)?.silu()? * up.forward(&x)?)?;
                device.synchronize()?;
                Ok(gated)
            })?;
            assert_eq!(generated::bits(&plain)?, generated::bits(&joined)?, "{vectors}, {device:?}");
            let together = if in_one_tile { 2..=2 } else { 4..=5 };
            assert!(many == 6 && together.contains(&few), "{vectors}: {many}, {few}, {device:?}");
        }
    }
    Ok(())
}

/// Vectors in so many rows of so many dimensions that one of them could be all of another's.
#[test]
fn norms_of_other_shapes() -> Result<()> {
    for device in recording() {
        let shape = (GgmlDType::Q8_0, 64);
        choose_tiles(&device, &[shape], 32, 128)?;
        let layers = [weights(&device, shape, 128)?, weights(&device, shape, 128)?];
        let [x, y] = [random(&[1, 4096])?.to_device(&device)?, random(&[1, 4096])?.to_device(&device)?];
        let alpha = random(&[4096])?.to_device(&device)?;
        let before = own(&device).counters().declined;
        check(&device, "the norm of a long row, as many rows", (6, 4), || {
            let row = candle_nn::ops::rms_norm(&(&x + &y)?, &alpha, 1e-5)?.reshape((32, 128))?;
            Ok(vec![layers[0].forward(&row)?, layers[1].forward(&row)?])
        })?;
        assert_eq!(own(&device).counters().declined.len(), before.len(), "{device:?}");
    }
    Ok(())
}

/// While candidates take turns, products run by themselves.
#[test]
fn tuning_sees_each_product() -> Result<()> {
    for device in recording() {
        let shape = (GgmlDType::Q8_0, 64);
        choose_tiles(&device, &[shape], VECTORS, COLUMNS)?;
        own(&device).set_tuning(Tuning::On);
        let layers = [weights(&device, shape, COLUMNS)?, weights(&device, (GgmlDType::Q8_0, 80), COLUMNS)?];
        let x = random(&[VECTORS, COLUMNS])?.to_device(&device)?;
        let classes = || own(&device).tuning_report();
        let before = classes().undecided;
        for layer in &layers {
            (layer.forward(&x)?.gelu()?).flatten_all()?.to_vec1::<f32>()?;
        }
        // The one that was given is decided.
        assert_eq!(classes().undecided, before + 1, "{device:?}");
    }
    Ok(())
}
