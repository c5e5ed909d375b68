//! Memory leaks: as much device memory is in use after the work as before.

use candle_core::{DType, Device, Result, Tensor, Var};
use candle_nn::{Module, VarBuilder, VarMap};
use candle_rocm::{RocmDevice, RocmError, tensor_from_buffer, tensor_into_buffer};
use candle_rocm_tests::devices;

#[test]
fn a_thousand_forward_passes_do_not_leak() -> Result<()> {
    for device in devices() {
        let pool =
            device.as_rocm_device()?.downcast_ref::<RocmDevice>().expect("a candle-rocm device").pool();
        let weights = VarMap::new();
        let vb = VarBuilder::from_varmap(&weights, DType::F32, &device);
        let (up, down) = (candle_nn::linear(12, 20, vb.pp("up"))?, candle_nn::linear(20, 12, vb.pp("down"))?);
        let norm = candle_nn::layer_norm(12, 1e-5, vb.pp("norm"))?;
        let forward = |x: &Tensor| (down.forward(&up.forward(&norm.forward(x)?)?.gelu()?)? + x)?.sum_all();
        let x = Tensor::randn(0f32, 1., (5, 12), &device)?;
        // The first pass allocates what a device keeps, such as dims and strides.
        let first: f32 = forward(&x)?.to_scalar()?;
        let before = pool.stats();
        pool.reset_peaks();
        for _ in 0..999 {
            forward(&x)?;
        }
        let last: f32 = forward(&x)?.to_scalar()?;
        assert_eq!(first, last);
        let after = pool.stats();
        println!(
            "{device:?}: {} bytes in use, peak {}, {} reserved",
            after.allocated, after.allocated_peak, after.reserved_peak
        );
        assert_eq!((after.allocated, after.buffers), (before.allocated, before.buffers));
        assert_eq!(
            after.device_allocations, before.device_allocations,
            "all allocations must come from the cache"
        );
    }
    Ok(())
}

#[test]
fn all_memory_can_be_released() -> Result<()> {
    for device in devices() {
        let pool =
            device.as_rocm_device()?.downcast_ref::<RocmDevice>().expect("a candle-rocm device").pool();
        let before = pool.stats();
        let x = Tensor::zeros((300, 300), DType::F32, &device)?;
        let there = x.to_device(&Device::Cpu)?;
        assert_eq!(pool.stats().buffers, before.buffers + 1);
        drop(x);
        pool.empty_cache().map_err(RocmError::from)?;
        let after = pool.stats();
        assert_eq!((after.buffers, after.reserved), (before.buffers, before.reserved));
        assert_eq!(there.dims(), [300, 300]);
    }
    Ok(())
}

#[test]
fn a_buffer_becomes_a_tensor_and_comes_back() -> Result<()> {
    for device in devices() {
        let rocm = device.as_rocm_device()?.downcast_ref::<RocmDevice>().expect("candle-rocm's");
        let buffer = rocm.upload(&[1f32, 2., 3., 4., 5., 6.])?;
        let address = buffer.as_ptr();
        let x = tensor_from_buffer(buffer, (2, 3), &device)?;
        assert_eq!((&x + 1.)?.to_vec2::<f32>()?, [[2., 3., 4.], [5., 6., 7.]]);
        let buffer = tensor_into_buffer::<f32>(x).map_err(RocmError::from)?;
        assert_eq!((buffer.as_ptr(), rocm.download(&buffer)?), (address, vec![1., 2., 3., 4., 5., 6.]));

        let error = tensor_from_buffer(buffer, (2, 2), &device).unwrap_err();
        assert!(error.to_string().contains("got buffer of size 6"), "{error}");
        let elsewhere = RocmDevice::on(rocm.platform(), rocm.ordinal())?.upload(&[1f32])?;
        let error = tensor_from_buffer(elsewhere, 1, &device).unwrap_err();
        assert!(matches!(RocmError::of(&error), Some(RocmError::WrongDevice { .. })), "{error}");
    }
    Ok(())
}

#[test]
fn memory_in_use_stays_a_tensor() -> Result<()> {
    let refused = |x: Tensor| {
        let refused = tensor_into_buffer::<f32>(x).expect_err("it is in use");
        assert!(matches!(*refused.error, RocmError::InvalidArgument { .. }), "{}", refused.error);
        refused.value
    };
    for device in devices() {
        let x = Tensor::new(&[1f32, 2., 3.], &device)?;
        let clone = x.clone();
        let x = refused(x);
        drop(clone);
        let view = x.narrow(0, 1, 2)?;
        let x = refused(x);
        assert_eq!(view.to_vec1::<f32>()?, [2., 3.]);
        drop(view);
        assert_eq!(tensor_into_buffer::<f32>(x).map_err(RocmError::from)?.len(), 3);

        let x = Var::new(&[1f32, 2.], &device)?.into_inner();
        let y = (&x * 2.)?;
        let x = refused(x);
        assert_eq!(y.backward()?.get(&x).expect("a gradient").to_vec1::<f32>()?, [2., 2.]);

        refused(Tensor::new(&[1f32], &Device::Cpu)?);
        let of_another_type = refused(Tensor::new(&[1u32], &device)?);
        assert_eq!(of_another_type.to_vec1::<u32>()?, [1]);
    }
    Ok(())
}
