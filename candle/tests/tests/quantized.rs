//! candle's quantized tensors on `Device::Rocm`, compared with the CPU.

use std::io::Cursor;
use std::sync::Arc;

use candle_core::quantized::{GgmlDType as G, QMatMul, QTensor, gguf_file};
use candle_core::rocm::{forbid_fallback, relative_error};
use candle_core::{D, DType, Device, Module, Result, Tensor};
use candle_rocm::RocmError;
use candle_rocm::quantized::QStorage;
use candle_rocm_tests::devices;

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
        let Device::Rocm(rocm) = &device else { unreachable!("a ROCm device") };
        let own: &candle_rocm::RocmDevice = rocm.downcast_ref().expect("a candle-rocm device");
        assert!(QStorage::zeros(own, 33, G::Q8_0).is_err());
    }
    Ok(())
}
