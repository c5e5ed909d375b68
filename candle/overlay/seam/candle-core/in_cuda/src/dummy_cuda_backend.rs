//! CUDA's variants in a candle without CUDA: they hold ROCm devices, so that code which matches all variants of `Device` or `Storage`
//! compiles, and takes a ROCm device for what it knows. All that is public in candle's own module is here, too.

pub use crate::rocm::{RocmDevice as CudaDevice, RocmStorage as CudaStorage};

use crate::backend::BackendDevice;
use crate::{Device, DeviceLocation, Error, Result};

/// Tells devices apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DeviceId(usize);

impl CudaDevice {
    /// The device that [`Device::new_cuda`] gives.
    pub fn new_with_stream(ordinal: usize) -> Result<Self> {
        match crate::rocm::new_cuda(ordinal)? {
            Some(Device::Cuda(device)) => Ok(device),
            _ => Err(Error::NotCompiledWithCudaSupport),
        }
    }

    /// The same for devices with the same ordinal.
    pub fn id(&self) -> DeviceId {
        match self.location() {
            DeviceLocation::Cuda { gpu_id } => DeviceId(gpu_id),
            _ => DeviceId(0),
        }
    }
}

impl CudaStorage {
    /// A copy on that device.
    pub fn transfer_to_device(&self, device: &CudaDevice) -> Result<Self> {
        device.copy_of(self)
    }
}

/// As in candle without CUDA.
pub fn gemm_reduced_precision_f16() -> bool {
    true
}

/// As in candle without CUDA: nothing. Products in f16 are added up in f32.
pub fn set_gemm_reduced_precision_f16(_: bool) {}

/// As in candle without CUDA.
pub fn gemm_reduced_precision_bf16() -> bool {
    true
}

/// As in candle without CUDA: nothing. Products in bf16 are added up in f32.
pub fn set_gemm_reduced_precision_bf16(_: bool) {}

/// As in candle without CUDA.
pub fn gemm_reduced_precision_f32() -> bool {
    true
}

/// As in candle without CUDA: nothing. Products in f32 are computed in f32.
pub fn set_gemm_reduced_precision_f32(_: bool) {}
