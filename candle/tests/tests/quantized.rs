//! candle's quantized tensors on `Device::Rocm`, compared with the CPU.

use std::borrow::Cow;
use std::io::Cursor;
use std::sync::Arc;

use candle_core::quantized::{
    GgmlDType as G, QMatMul, QStorage as QStorageOf, QTensor, ggml_file, gguf_file,
};
use candle_core::rocm::{forbid_fallback, relative_error};
use candle_core::{D, DType, Device, Module, Result, Tensor};
use candle_rocm::RocmError;
use candle_rocm::quantized::QStorage;
use candle_rocm_tests::{MODEL_FLOATS, devices};

const TYPES: [G; 15] = [
    G::F32,
    G::F16,
    G::BF16,
    G::Q4_0,
    G::Q4_1,
    G::Q5_0,
    G::Q5_1,
    G::Q8_0,
    G::Q8_1,
    G::Q2K,
    G::Q3K,
    G::Q4K,
    G::Q5K,
    G::Q6K,
    G::Q8K,
];
/// Both sides quantize activations to 8 bits relative to the largest in their block: an error of about 0.6 % of a typical activation, and
/// of a sum of products.
const TOLERANCE: f32 = 0.015;

fn numbers(shape: &[usize]) -> Result<Tensor> {
    let count: usize = shape.iter().product();
    let values: Vec<f32> = (0..count).map(|i| ((i * 7919 % 2003) as f32 / 1001.5 - 1.0) * 1.5).collect();
    Tensor::from_vec(values, shape, &Device::Cpu)
}

fn flat(tensor: &Tensor) -> Result<Vec<f32>> {
    tensor.to_device(&Device::Cpu)?.to_dtype(DType::F32)?.flatten_all()?.to_vec1()
}

#[test]
fn quantize_and_dequantize() -> Result<()> {
    forbid_fallback();
    let values = numbers(&[6, 512])?;
    let importance: Vec<f32> = (0..512).map(|i| 1.0 + (i % 5) as f32).collect();
    for device in devices() {
        for dtype in TYPES {
            let want = QTensor::quantize(&values, dtype)?;
            let made = [
                QTensor::quantize(&values.to_device(&device)?, dtype)?,
                QTensor::quantize_onto(&values, dtype, &device)?,
            ];
            for got in made {
                assert_eq!((got.dtype(), got.storage_size_in_bytes()), (dtype, want.storage_size_in_bytes()));
                assert_eq!(got.data()?, want.data()?, "{dtype:?}");
                assert_eq!(
                    flat(&got.dequantize(&device)?)?,
                    flat(&want.dequantize(&Device::Cpu)?)?,
                    "{dtype:?}"
                );
                let half = got.dequantize_f16(&device)?;
                assert_eq!(half.dtype(), DType::F16);
                assert_eq!(flat(&half)?, flat(&want.dequantize_f16(&Device::Cpu)?)?, "{dtype:?}");
                assert!(!got.device_ptr()?.is_null());
            }
            if matches!(dtype, G::Q2K | G::Q3K | G::Q4K | G::Q5K | G::Q6K) {
                let want = QTensor::quantize_imatrix(&values, &importance, dtype)?;
                let got = QTensor::quantize_imatrix(&values.to_device(&device)?, &importance, dtype)?;
                assert_eq!(got.data()?, want.data()?, "{dtype:?} with importance");
                let got = QTensor::quantize_imatrix_onto(&values, &importance, dtype, &device)?;
                assert_eq!(got.data()?, want.data()?, "{dtype:?} with importance");
            }
        }
    }
    Ok(())
}

#[test]
fn embedding() -> Result<()> {
    forbid_fallback();
    let values = numbers(&[9, 256])?;
    for device in devices() {
        for dtype in TYPES {
            let want = QTensor::quantize(&values, dtype)?;
            let got = QTensor::quantize_onto(&values, dtype, &device)?;
            let ids = Tensor::new(&[[8i64, 0], [3, 3], [1, 7]], &Device::Cpu)?;
            let rows = got.embedding(&ids.to_device(&device)?)?;
            assert_eq!(rows.dims(), [3, 2, 256]);
            assert_eq!(flat(&rows)?, flat(&want.embedding(&ids)?)?, "{dtype:?}");
        }
    }
    Ok(())
}

#[test]
fn products() -> Result<()> {
    forbid_fallback();
    let weights = numbers(&[11, 512])?;
    for device in devices() {
        for dtype in TYPES {
            let want = QMatMul::from_arc(Arc::new(QTensor::quantize(&weights, dtype)?))?;
            let got = QMatMul::from_arc(Arc::new(QTensor::quantize_onto(&weights, dtype, &device)?))?;
            for shape in [&[1usize, 512] as &[usize], &[3, 512], &[2, 5, 512], &[40, 512]] {
                // A view that does not start at the beginning of its storage.
                let x = (numbers(&[shape.iter().product::<usize>() + 5])?.narrow(
                    0,
                    5,
                    shape.iter().product(),
                )? * 0.7)?;
                let x = x.reshape(shape)?;
                let expected = want.forward(&x)?;
                let result = got.forward(&x.to_device(&device)?)?;
                let error = relative_error(&result, &expected)?;
                assert!(error <= TOLERANCE, "{dtype:?} {shape:?}: {error}");
                for half in [DType::F16, DType::BF16] {
                    if matches!(got, QMatMul::QTensor(_)) {
                        let result = got.forward(&x.to_device(&device)?.to_dtype(half)?)?;
                        assert_eq!(result.dtype(), half);
                        let error = relative_error(&result, &expected)?;
                        assert!(error <= TOLERANCE, "{dtype:?} {shape:?} {half:?}: {error}");
                    }
                }
            }
        }
    }
    Ok(())
}

#[test]
fn experts() -> Result<()> {
    forbid_fallback();
    let weights = numbers(&[4, 6, 256])?;
    let ids = Tensor::new(&[[3u32, 0], [1, 2], [2, 2]], &Device::Cpu)?;
    for device in devices() {
        for dtype in TYPES {
            let quantized = QTensor::quantize_onto(&weights, dtype, &device)?;
            let floats = quantized.dequantize(&Device::Cpu)?;
            for per_token in [1, 2] {
                let x = numbers(&[3, per_token, 256])?;
                let chosen = floats.index_select(&ids.flatten_all()?, 0)?.reshape((3, 2, 6, 256))?;
                let each = x.broadcast_as((3, 2, 256))?.contiguous()?.unsqueeze(D::Minus1)?;
                let expected = chosen.matmul(&each)?.squeeze(D::Minus1)?;
                let result =
                    quantized.indexed_moe_forward(&x.to_device(&device)?, &ids.to_device(&device)?)?;
                let error = relative_error(&result, &expected)?;
                assert!(error <= TOLERANCE, "{dtype:?} {per_token}: {error}");
            }
        }
    }
    Ok(())
}

/// Experts as models have them, `QMatMul`, which keeps F32, F16 and BF16 as tensors of floats: each type, for few and for many tokens.
#[test]
fn experts_of_any_type() -> Result<()> {
    forbid_fallback();
    let (experts, n, k, topk) = (4, 6, 256, 2);
    let weights = numbers(&[experts, n, k])?;
    for device in devices().into_iter().chain([Device::Cpu]) {
        for quantized in TYPES {
            let matrices = QTensor::quantize_onto(&weights, quantized, &device)?;
            let floats = matrices.dequantize(&Device::Cpu)?;
            let matrices = QMatMul::from_qtensor(matrices)?;
            for (tokens, per_token) in [(1, 1), (3, 2), (40, 1), (40, 2)] {
                let ids: Vec<u32> = (0..tokens * topk).map(|i| (i * 7 % 5 % experts) as u32).collect();
                let ids = Tensor::from_vec(ids, (tokens, topk), &Device::Cpu)?;
                let x = numbers(&[tokens, per_token, k])?;
                let mut expected = Vec::new();
                for token in 0..tokens {
                    for slot in 0..topk {
                        let expert = ids.get(token)?.get(slot)?.to_scalar::<u32>()?;
                        let x = x.get(token)?.get(slot.min(per_token - 1))?.unsqueeze(1)?;
                        expected.push(floats.get(expert as usize)?.matmul(&x)?.squeeze(1)?);
                    }
                }
                let expected = Tensor::stack(&expected, 0)?.reshape((tokens, topk, n))?;
                for (dtype, tolerance) in [(DType::F32, 1.), (DType::F16, 1.), (DType::BF16, 1.5)] {
                    let x = x.to_dtype(dtype)?.to_device(&device)?;
                    let y = matrices.indexed_moe_forward(&x, &ids.to_device(&device)?)?;
                    assert_eq!((y.dtype(), y.dims()), (dtype, expected.dims()));
                    let error = relative_error(&y, &expected)?;
                    let what = format!("{quantized:?} {dtype:?} {tokens} {per_token} {device:?}");
                    assert!(error <= tolerance * TOLERANCE, "{what}: {error}");
                }
                // Weights stay; what they are multiplied with has a gradient.
                let x = candle_core::Var::from_tensor(&x.to_device(&device)?)?;
                let y = matrices.indexed_moe_forward(&x, &ids.to_device(&device)?)?;
                let gradient = y.sum_all()?.backward()?;
                assert_eq!(gradient.get(&x).expect("a gradient").dims(), x.dims());
            }
            let x = Tensor::ones((2, 1, k), DType::F32, &device)?;
            let fails = |ids: &[u32]| -> Result<()> {
                let ids = Tensor::new(ids, &device)?.reshape((2, ()))?;
                // What nobody reads is not computed, and its indices are not looked at.
                let _result = matrices.indexed_moe_forward(&x, &ids)?;
                device.synchronize()
            };
            // There are four experts; and three rows of indices are not two.
            assert!(fails(&[0, 1, 4, 2]).is_err(), "{quantized:?} {device:?}");
            assert!(fails(&[0, 1, 3, 2]).is_ok(), "{quantized:?} {device:?}");
            let ids = Tensor::zeros((3, 2), DType::U32, &device)?;
            assert!(matrices.indexed_moe_forward(&x, &ids).is_err(), "{quantized:?} {device:?}");
        }
    }
    Ok(())
}

/// Weights without elements are quantized, loaded, and multiplied with.
#[test]
fn empty_weights() -> Result<()> {
    forbid_fallback();
    for device in devices().into_iter().chain([Device::Cpu]) {
        for dtype in TYPES {
            for (rows, columns) in [(0, 256), (3, 0), (0, 0)] {
                let what = format!("{dtype:?} [{rows}, {columns}] {device:?}");
                let values = Tensor::zeros((rows, columns), DType::F32, &Device::Cpu)?;
                let data = QStorageOf::from_data(Cow::Borrowed(&[]), &device, dtype)?;
                for weights in [
                    QTensor::quantize(&values.to_device(&device)?, dtype)?,
                    QTensor::quantize_onto(&values, dtype, &device)?,
                    QTensor::new(data, (rows, columns))?,
                    ggml_file::qtensor_from_ggml(G::F32, &[], vec![rows, columns], &device)?,
                ] {
                    assert!(weights.data()?.is_empty() && weights.storage_size_in_bytes() == 0, "{what}");
                    assert_eq!(weights.dequantize(&device)?.dims(), [rows, columns], "{what}");
                    assert_eq!(weights.dequantize_f16(&device)?.dims(), [rows, columns], "{what}");
                    let none = Tensor::zeros(0, DType::U32, &device)?;
                    assert_eq!(weights.embedding(&none)?.dims(), [0, columns], "{what}");
                    if rows > 0 {
                        let ids = Tensor::new(&[2u32, 0], &device)?;
                        assert_eq!(weights.embedding(&ids)?.dims(), [2, columns], "{what}");
                    }
                    let product = QMatMul::from_qtensor(weights)?;
                    for vectors in [0, 1, 5] {
                        for of in MODEL_FLOATS {
                            // Floats multiply floats of their own dtype only.
                            if of != DType::F32 && !matches!(product, QMatMul::QTensor(_)) {
                                continue;
                            }
                            let x = Tensor::ones((vectors, columns), of, &device)?;
                            let y = product.forward(&x)?;
                            assert_eq!((y.dims(), y.dtype()), (&[vectors, rows][..], of), "{what}");
                            assert!(flat(&y)?.iter().all(|&y| y == 0.), "{what}");
                        }
                    }
                }
                for (experts, tokens, topk) in [(0, 0, 2), (2, 0, 2), (2, 3, 0), (2, 3, 2)] {
                    let weights = Tensor::zeros((experts, rows, columns), DType::F32, &device)?;
                    let weights = QTensor::quantize(&weights, dtype)?;
                    let x = Tensor::ones((tokens, 1, columns), DType::F32, &device)?;
                    let ids = Tensor::zeros((tokens, topk), DType::U32, &device)?;
                    let y = weights.indexed_moe_forward(&x, &ids)?;
                    assert_eq!(y.dims(), [tokens, topk, rows], "{what}");
                    let y = QMatMul::from_qtensor(weights)?.indexed_moe_forward(&x, &ids)?;
                    assert_eq!(y.dims(), [tokens, topk, rows], "{what}");
                }
            }
            // No vectors, times weights.
            let product =
                QMatMul::from_qtensor(QTensor::quantize_onto(&numbers(&[3, 256])?, dtype, &device)?)?;
            assert_eq!(product.forward(&Tensor::ones((0, 256), DType::F32, &device)?)?.dims(), [0, 3]);
            if matches!(dtype, G::Q2K | G::Q3K | G::Q4K | G::Q5K | G::Q6K) {
                let values = Tensor::zeros((0, 256), DType::F32, &Device::Cpu)?;
                let here = values.to_device(&device)?;
                assert!(QTensor::quantize_imatrix(&here, &[1.; 256], dtype)?.data()?.is_empty());
                let there = QTensor::quantize_imatrix_onto(&values, &[1.; 256], dtype, &device)?;
                assert!(there.data()?.is_empty());
            }
        }
        // Fewer bytes than the tensor has.
        assert!(ggml_file::qtensor_from_ggml(G::F32, &[0; 4], vec![1, 2], &device).is_err());
    }
    Ok(())
}

#[test]
fn files() -> Result<()> {
    forbid_fallback();
    for device in devices() {
        let tensors = TYPES
            .into_iter()
            // candle can write these but not read them.
            .filter(|dtype| !matches!(dtype, G::Q8_1 | G::Q8K))
            .map(|dtype| {
                Ok((format!("{dtype:?}"), QTensor::quantize_onto(&numbers(&[2, 256])?, dtype, &device)?))
            })
            .collect::<Result<Vec<_>>>()?;
        // Some of which have no elements.
        let empty = tensors.iter().map(|(name, tensor)| {
            let none = Tensor::zeros((0, 256), DType::F32, &Device::Cpu)?;
            Ok((format!("no {name}"), QTensor::quantize_onto(&none, tensor.dtype(), &device)?))
        });
        let tensors: Vec<_> = empty.collect::<Result<Vec<_>>>()?.into_iter().chain(tensors).collect();
        let named: Vec<_> = tensors.iter().map(|(name, tensor)| (name.as_str(), tensor)).collect();
        let mut file = Cursor::new(Vec::new());
        gguf_file::write(&mut file, &[], &named)?;
        file.set_position(0);
        let content = gguf_file::Content::read(&mut file)?;
        for (name, want) in named {
            let got = content.tensor(&mut file, name, &device)?;
            assert!(got.device().same_device(&device));
            assert_eq!((got.dtype(), got.shape()), (want.dtype(), want.shape()));
            assert_eq!(got.data()?, want.data()?, "{name}");
        }
    }
    Ok(())
}

#[test]
fn shape_and_dtype_mismatches_are_typed_errors() -> Result<()> {
    forbid_fallback();
    for device in devices() {
        let weights = QTensor::quantize_onto(&numbers(&[4, 64])?, G::Q4_0, &device)?;
        let matmul = QMatMul::from_qtensor(weights)?;
        let fails = |x: Tensor, words: &[&str]| {
            let error = matmul.forward(&x).expect_err("it does not fit");
            assert!(RocmError::of(&error).is_some(), "{error}");
            assert!(words.iter().all(|word| error.to_string().contains(word)), "{error}: {words:?}");
        };
        fails(numbers(&[2, 32])?.to_device(&device)?, &["[2, 32]", "[4, 64]"]);
        fails(numbers(&[64, 2])?.to_device(&device)?.t()?, &["contiguous"]);
        fails(Tensor::zeros((2, 64), DType::I64, &device)?, &["i64"]);
        // The backend's own type is accessible.
        let rocm = device.as_rocm_device()?;
        let own: &candle_rocm::RocmDevice = rocm.downcast_ref().expect("a candle-rocm device");
        assert!(QStorage::zeros(own, 33, G::Q8_0).is_err());
    }
    Ok(())
}
