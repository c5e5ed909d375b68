//! CUDA's variants in a candle without CUDA: they hold ROCm devices, so that code which matches all variants of `Device` or `Storage`
//! compiles, and takes a ROCm device for what it knows. All that is public in candle's own module is here, too.

pub use crate::rocm::{RocmDevice as CudaDevice, RocmStorage as CudaStorage};

use crate::backend::BackendDevice;
use crate::{Device, DeviceLocation, Error, Result};

/// Identifies a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DeviceId(usize);

impl CudaDevice {
    /// Opens the device that [`Device::new_cuda`] returns.
    pub fn new_with_stream(ordinal: usize) -> Result<Self> {
        match crate::rocm::new_cuda(ordinal)? {
            Some(Device::Cuda(device)) => Ok(device),
            _ => Err(Error::NotCompiledWithCudaSupport),
        }
    }

    /// The device's identity. Devices with the same ordinal have the same one.
    pub fn id(&self) -> DeviceId {
        match self.location() {
            DeviceLocation::Cuda { gpu_id } => DeviceId(gpu_id),
            _ => DeviceId(0),
        }
    }
}

impl CudaStorage {
    /// Copies the storage to another device.
    pub fn transfer_to_device(&self, device: &CudaDevice) -> Result<Self> {
        device.copy_of(self)
    }
}

/// As in candle without CUDA.
pub fn gemm_reduced_precision_f16() -> bool {
    true
}

/// Has no effect, as in candle without CUDA. Products in f16 are accumulated in f32.
pub fn set_gemm_reduced_precision_f16(_: bool) {}

/// As in candle without CUDA.
pub fn gemm_reduced_precision_bf16() -> bool {
    true
}

/// Has no effect, as in candle without CUDA. Products in bf16 are accumulated in f32.
pub fn set_gemm_reduced_precision_bf16(_: bool) {}

/// As in candle without CUDA.
pub fn gemm_reduced_precision_f32() -> bool {
    true
}

/// Has no effect, as in candle without CUDA. Products in f32 are computed in f32.
pub fn set_gemm_reduced_precision_f32(_: bool) {}
