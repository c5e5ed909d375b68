//! CUDA's variants in a candle without CUDA: they hold quantized tensors on ROCm devices.

pub use crate::rocm::QRocmStorage as QCudaStorage;

use super::{GgmlDType, GgmlType, QStorage};
use crate::backend::BackendStorage;
use crate::{CudaDevice, CudaStorage, DType, Layout, Result, Shape};

/// What candle calls by these names.
impl QCudaStorage {
    pub(crate) fn zeros(device: &CudaDevice, elem_count: usize, dtype: GgmlDType) -> Result<Self> {
        device.qzeros(elem_count, dtype)
    }

    pub(crate) fn storage_size_in_bytes(&self) -> usize {
        self.size_in_bytes()
    }

    pub(crate) fn dequantize_f16(&self, elem_count: usize) -> Result<CudaStorage> {
        self.dequantize(elem_count)?.to_dtype(&Layout::contiguous(elem_count), DType::F16)
    }

    pub(crate) fn fwd(&self, shape: &Shape, x: &CudaStorage, l: &Layout) -> Result<(CudaStorage, Shape)> {
        self.forward(shape, x, l)
    }
}

pub(crate) fn load_quantized<T: GgmlType + Send + Sync + 'static>(
    device: &CudaDevice,
    blocks: &[T],
) -> Result<QStorage> {
    // SAFETY: blocks are plain numbers without padding, as candle's own code has it when it reads and writes them.
    let bytes = unsafe { std::slice::from_raw_parts(blocks.as_ptr().cast(), std::mem::size_of_val(blocks)) };
    Ok(QStorage::Cuda(device.qfrom_data(bytes, T::DTYPE)?))
}
