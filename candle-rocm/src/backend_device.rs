//! candle's device trait: making storages, seeds, waiting.

use candle_core::backend::BackendDevice;
use candle_core::{CpuStorage, DType, DeviceLocation, Shape, WithDType};

use crate::count::elem_count;
use crate::random;
use crate::{RocmDevice, RocmStorage};

type Result<T> = candle_core::Result<T>;

impl BackendDevice for RocmDevice {
    type Storage = RocmStorage;

    fn new(ordinal: usize) -> Result<Self> {
        Ok(RocmDevice::new(ordinal)?)
    }

    /// Stock candle has no location for ROCm; the one that its own GPU code treats alike is CUDA's.
    fn location(&self) -> DeviceLocation {
        #[cfg(candle_rocm_seam)]
        return candle_core::rocm::location(self.ordinal());
        #[cfg(not(candle_rocm_seam))]
        DeviceLocation::Cuda { gpu_id: self.ordinal() }
    }

    fn same_device(&self, other: &Self) -> bool {
        RocmDevice::same_device(self, other)
    }

    fn zeros_impl(&self, shape: &Shape, dtype: DType) -> Result<RocmStorage> {
        Ok(RocmStorage::zeros(self, elem_count("zeros", shape.dims())?, dtype)?)
    }

    unsafe fn alloc_uninit(&self, shape: &Shape, dtype: DType) -> Result<RocmStorage> {
        Ok(RocmStorage::uninit(self, elem_count("alloc_uninit", shape.dims())?, dtype)?)
    }

    fn storage_from_slice<T: WithDType>(&self, data: &[T]) -> Result<RocmStorage> {
        Ok(RocmStorage::from_slice(self, data)?)
    }

    fn storage_from_cpu_storage(&self, data: &CpuStorage) -> Result<RocmStorage> {
        Ok(RocmStorage::from_cpu(self, data)?)
    }

    fn storage_from_cpu_storage_owned(&self, data: CpuStorage) -> Result<RocmStorage> {
        Ok(RocmStorage::from_cpu(self, &data)?)
    }

    fn rand_uniform(&self, shape: &Shape, dtype: DType, lo: f64, up: f64) -> Result<RocmStorage> {
        Ok(random::uniform(self, elem_count("rand_uniform", shape.dims())?, dtype, lo, up)?)
    }

    fn rand_normal(&self, shape: &Shape, dtype: DType, mean: f64, std: f64) -> Result<RocmStorage> {
        Ok(random::normal(self, elem_count("rand_normal", shape.dims())?, dtype, mean, std)?)
    }

    fn set_seed(&self, seed: u64) -> Result<()> {
        RocmDevice::set_seed(self, seed);
        Ok(())
    }

    fn get_current_seed(&self) -> Result<u64> {
        Ok(self.seed())
    }

    fn synchronize(&self) -> Result<()> {
        Ok(RocmDevice::synchronize(self)?)
    }
}
