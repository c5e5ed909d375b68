//! What the device does.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::memory::dtype_of;
use super::rocm_rs::hip::{Function, MemoryInfo, Stream};
use super::{RocmDevice, SendSyncDeviceMemory};
use crate::backend::BackendDevice;
use crate::{DType, Error, Result, Shape, WithDType};

impl RocmDevice {
    /// Allocates `len` elements of a dtype's type, which can become a tensor's memory, or of any other type that kernels use. The memory is
    /// not initialized.
    ///
    /// # Errors
    /// If no memory is left.
    pub fn alloc<T: 'static>(&self, len: usize) -> Result<SendSyncDeviceMemory<T>> {
        let (len, dtype) = in_dtype::<T>(len)?;
        self.erased().alloc(len, dtype).map(SendSyncDeviceMemory::new)
    }

    /// Allocates `len` elements, all zero. Otherwise as [`RocmDevice::alloc`].
    ///
    /// # Errors
    /// If no memory is left.
    pub fn alloc_zeros<T: 'static>(&self, len: usize) -> Result<SendSyncDeviceMemory<T>> {
        let (len, dtype) = in_dtype::<T>(len)?;
        self.erased().zeros(&Shape::from(len), dtype).map(SendSyncDeviceMemory::new)
    }

    /// Copies host memory to the device.
    ///
    /// # Errors
    /// If no memory is left, or if `T` is a type that candle only stores and that has no values.
    pub fn clone_htod<T: WithDType>(&self, values: &[T]) -> Result<SendSyncDeviceMemory<T>> {
        // Those panic when asked for them.
        if size_of::<T>() == 0 {
            return Err(Error::UnsupportedDTypeForOp(T::DTYPE, "clone_htod").bt());
        }
        self.erased().from_slice(T::cpu_storage_ref(values)).map(SendSyncDeviceMemory::new)
    }

    /// Copies device memory to the host. Waits for everything queued so far.
    ///
    /// # Errors
    /// A failure on the device since the last call that waited.
    pub fn clone_dtoh<T: WithDType>(&self, memory: &SendSyncDeviceMemory<T>) -> Result<Vec<T>> {
        T::cpu_storage_data(memory.storage().to_cpu_storage()?)
    }

    /// Returns a kernel of a HIP source. Compiles and loads it for this device on first use, and caches it on disk.
    ///
    /// Kernels are `extern "C" __global__ void` functions. Sources written for CUDA may include `cuda_fp16.h`, `cuda_bf16.h` and
    /// `cuda_runtime.h`. `WAVE` is the wavefront size. `module` appears in messages.
    ///
    /// # Errors
    /// If there is no such kernel, or the source does not compile. The error contains the compiler's log.
    pub fn get_or_load_custom_func(&self, kernel: &str, module: &str, source: &str) -> Result<Function> {
        let loaded = self.erased().kernel(kernel, module, source)?;
        Ok(Function::new(loaded, self.clone()))
    }

    /// The stream on which this device runs all its work. Each device has one.
    pub fn stream(&self) -> &Stream {
        self
    }
}

/// How many elements of which dtype have the room for `len` of type `T`.
fn in_dtype<T: 'static>(len: usize) -> Result<(usize, DType)> {
    if let Some(dtype) = dtype_of::<T>() {
        return Ok((len, dtype));
    }
    match len.checked_mul(size_of::<T>()) {
        Some(bytes) => Ok((bytes, DType::U8)),
        None => crate::bail!("alloc: {len} elements of {} have more bytes than usize counts", std::any::type_name::<T>()),
    }
}

/// The number of the device that the program asked for last: HIP calls it the current one.
static CURRENT: AtomicUsize = AtomicUsize::new(0);

/// The program asked for the device of that number.
pub(crate) fn opened(ordinal: usize) {
    CURRENT.store(ordinal, Ordering::Relaxed);
}

/// The memory of the device that the program opened last, else of the first one.
pub(super) fn memory_info() -> Result<MemoryInfo> {
    RocmDevice::new(CURRENT.load(Ordering::Relaxed))?.erased().memory_info()
}
