//! Casts between all of candle's dtypes, and numbers of those that only few operations take: values or errors, on the CPU and on the
//! devices, and neither a panic nor an endless recursion.

use candle_core::scalar::Scalar;
use candle_core::{CpuStorage, DType, Device, Result, Storage, Tensor};
use candle_rocm_tests::{NUMBERS, devices, stand_in};

/// What candle can only load.
const RAW: [DType; 4] = [DType::F6E2M3, DType::F6E3M2, DType::F4, DType::F8E8M0];

fn all() -> Vec<Device> {
    devices().into_iter().chain([Device::Cpu, stand_in()]).collect()
}

/// All 256 numbers of F8E4M3, by their bits: a sign, four bits of exponent (bias 7), three of mantissa, NaN where all are set.
fn numbers_of_f8() -> Vec<f64> {
    let number = |bits: u32| {
        let (exponent, mantissa) = ((bits >> 3 & 15) as i32, f64::from(bits & 7));
        let size = match (exponent, bits & 7) {
            (15, 7) => f64::NAN,
            (0, _) => mantissa * 2f64.powi(-9),
            _ => (8. + mantissa) * 2f64.powi(exponent - 10),
        };
        if bits < 128 { size } else { -size }
    };
    (0..256).map(number).collect()
}

#[test]
fn f8_becomes_every_other_type() -> Result<()> {
    let expected = numbers_of_f8();
    let finite: Vec<f64> = expected.iter().copied().filter(|x| !x.is_nan()).collect();
    for device in all() {
        let narrow = Tensor::new(finite.as_slice(), &device)?.to_dtype(DType::F8E4M3)?;
        for dtype in NUMBERS {
            let cast = narrow.to_dtype(dtype)?.to_device(&Device::Cpu)?.to_dtype(DType::F64)?;
            let got = cast.to_vec1::<f64>()?;
            for (got, x) in got.iter().zip(&finite) {
                // Integers drop what is behind the point; what is negative has no place in some of them.
                let fits = match dtype {
                    DType::U8 if *x < 0. || *x > 255. => true,
                    DType::U32 if *x < 0. => true,
                    _ if dtype.is_int() => *got == x.trunc(),
                    _ => got == x,
                };
                assert!(fits, "{x} as {dtype:?} is {got} on {device:?}");
            }
        }
        let nan = Tensor::new(&[f64::NAN], &device)?.to_dtype(DType::F8E4M3)?.to_dtype(DType::F64)?;
        assert!(nan.to_vec1::<f64>()?[0].is_nan());
    }
    Ok(())
}

/// What goes through `WithDType::to_f64`.
#[test]
fn f8_as_a_scalar() -> Result<()> {
    let one = Scalar::one(DType::F8E4M3);
    assert_eq!(one.to_f64(), 1.);
    let x = Tensor::new(&[[[[0.5f32, 1.], [1.5, 2.]]]], &Device::Cpu)?.to_dtype(DType::F8E4M3)?;
    let values = |x: &Tensor| x.to_dtype(DType::F32)?.flatten_all()?.to_vec1::<f32>();
    assert_eq!(values(&x.upsample_bilinear2d(2, 2, true)?)?, [0.5, 1., 1.5, 2.]);
    let erf = values(&x.erf()?)?;
    assert!(erf.iter().zip([0.52, 0.84, 0.97, 1.]).all(|(got, want)| (got - want).abs() < 0.04), "{erf:?}");
    let four = Tensor::full(4f32, 8, &Device::Cpu)?.to_dtype(DType::F8E4M3)?;
    assert_eq!(values(&four.powf(0.5)?)?, [2.; 8]);
    Ok(())
}

/// Types that are only loaded: every cast, and what makes a tensor of numbers, is an error.
#[test]
fn raw_types_have_no_numbers() -> Result<()> {
    for device in all() {
        for raw in RAW {
            for dtype in NUMBERS {
                let x = Tensor::zeros(4, dtype, &device)?;
                assert!(x.to_dtype(raw).is_err(), "{dtype:?} as {raw:?} on {device:?}");
            }
            assert!(Tensor::ones(4, raw, &device).is_err(), "{raw:?} on {device:?}");
        }
        // One of a byte, which has elements.
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("raw.safetensors");
        let view = safetensors::tensor::TensorView::new(safetensors::Dtype::F8_E8M0, vec![4], &[1, 2, 3, 4]);
        safetensors::serialize_to_file([("x", view.unwrap())], None, &path).unwrap();
        let x = candle_core::safetensors::load(&path, &device)?.remove("x").expect("it was written");
        for dtype in NUMBERS.into_iter().chain(RAW) {
            assert!(dtype == DType::F8E8M0 || x.to_dtype(dtype).is_err(), "{dtype:?} on {device:?}");
        }
        assert!(x.zero_set().is_err() && x.one_set().is_err(), "{device:?}");
        let here = x.to_device(&Device::Cpu)?;
        let (storage, _) = here.storage_and_layout();
        assert!(matches!(&*storage, Storage::Cpu(CpuStorage::F8E8M0(bytes)) if *bytes == [1, 2, 3, 4]));
    }
    Ok(())
}
