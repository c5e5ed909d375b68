//! Memory leaks: as much device memory is in use after the work as before.

use candle_core::{DType, Device, Result, Tensor};
use candle_nn::{Module, VarBuilder, VarMap};
use candle_rocm::{RocmDevice, RocmError};
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
