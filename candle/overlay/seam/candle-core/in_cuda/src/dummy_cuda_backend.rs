//! CUDA's variants in a candle without CUDA: they hold ROCm devices, so that code which matches all variants of `Device` or `Storage`
//! compiles, and takes a ROCm device for what it knows.

pub use crate::rocm::{RocmDevice as CudaDevice, RocmStorage as CudaStorage};

use crate::Result;
use crate::backend::BackendDevice;

/// What candle calls by these names.
impl CudaDevice {
    pub(crate) fn new_with_stream(ordinal: usize) -> Result<Self> {
        Self::new(ordinal)
    }
}

impl CudaStorage {
    pub(crate) fn transfer_to_device(&self, device: &CudaDevice) -> Result<Self> {
        device.copy_of(self)
    }
}
