//! Opening and identifying devices.

use candle_core::{DType, Device, Result, Tensor, rocm, utils};
use candle_rocm::RocmDevice;
use candle_rocm::hip::set_default_platform;
use candle_rocm_tests::{FLOATS, devices, platform, stand_in};

#[test]
fn new_rocm_needs_no_registration() -> Result<()> {
    set_default_platform(platform());
    assert!(utils::rocm_is_available());
    let (first, second) = (Device::new_rocm(0)?, Device::rocm_if_available(0)?);
    assert!(first.is_rocm() && second.is_rocm() && first.same_device(&second));
    assert_eq!(first.location(), candle_core::rocm::location(0));
    let sum = (Tensor::ones(3, DType::F32, &first)? + Tensor::zeros(3, DType::F32, &second)?)?;
    assert_eq!(sum.to_vec1::<f32>()?, [1., 1., 1.]);
    assert!(!candle_rocm::register(), "the backend must already be registered");
    Ok(())
}

#[test]
fn a_missing_device_error_names_its_number() {
    set_default_platform(platform());
    let error = Device::new_rocm(1000).unwrap_err().to_string();
    assert!(error.contains("1000"), "{error}");
}

#[test]
fn downcasts_return_the_backend_types() -> Result<()> {
    for device in devices() {
        let concrete: &RocmDevice = device.as_rocm_device()?.downcast_ref().unwrap();
        assert!(device.location() == candle_core::rocm::location(concrete.ordinal()));
        let tensor = Tensor::new(&[1f32, 2.], &device)?;
        let (storage, _) = tensor.storage_and_layout();
        let storage = candle_core::RocmStorage::of(&storage).expect("on rocm");
        let storage: &candle_rocm::RocmStorage = storage.downcast_ref().unwrap();
        assert!(storage.device.same_device(concrete));
    }
    assert!(stand_in().as_rocm_device()?.downcast_ref::<RocmDevice>().is_none());
    let error = Device::Cpu.as_rocm_device().unwrap_err().to_string();
    assert!(error.contains("expected a rocm device, got Cpu"), "{error}");
    Ok(())
}

#[test]
fn display_and_debug_name_the_device() -> Result<()> {
    for (number, device) in devices().into_iter().enumerate() {
        let tensor = Tensor::new(&[[1f32, 2.], [3., 4.]], &device)?;
        assert_eq!(
            format!("{tensor}"),
            format!("[[1., 2.],\n [3., 4.]]\nTensor[[2, 2], f32, rocm:{number}]")
        );
        assert_eq!(format!("{tensor:?}"), format!("Tensor[dims 2, 2; f32, rocm:{number}]"));
        assert!(device.supports_bf16());
    }
    Ok(())
}

#[test]
fn a_seed_reproduces_random_tensors() -> Result<()> {
    for device in devices() {
        for dtype in FLOATS {
            let draw = || -> Result<Vec<f64>> {
                let uniform = Tensor::rand(-1f64, 1., 1000, &device)?.to_dtype(dtype)?;
                let normal = Tensor::zeros(1000, dtype, &device)?.randn_like(0., 1.)?;
                [uniform, normal]
                    .iter()
                    .map(|t| t.to_dtype(DType::F64)?.to_vec1())
                    .collect::<Result<Vec<_>>>()
                    .map(|v| v.concat())
            };
            device.set_seed(7)?;
            assert_eq!(device.get_current_seed()?, 7);
            let (first, second) = (draw()?, draw()?);
            device.set_seed(7)?;
            assert_eq!(first, draw()?);
            assert_ne!(first, second);
            assert!(
                first[..1000].iter().all(|x| (-1. ..=1.).contains(x))
                    && first[..1000].iter().any(|x| *x < 0.)
            );
        }
        device.synchronize()?;
    }
    Ok(())
}

#[test]
fn a_second_backend_cannot_be_registered() {
    fn none() -> Result<usize> {
        Ok(0)
    }
    fn open(_: usize) -> Result<rocm::RocmDevice> {
        candle_core::bail!("not this one")
    }
    assert!(!rocm::register(rocm::Registration { name: "other", count: none, open }));
}
