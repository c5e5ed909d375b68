//! What the device does.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::memory::dtype_of;
use super::rocm_rs::hip::{Function, MemoryInfo, Stream};
use super::{RocmDevice, SendSyncDeviceMemory};
use crate::backend::BackendDevice;
use crate::{DType, Error, Result, Shape, WithDType};

impl RocmDevice {
    /// Memory for `len` elements of a dtype's type, which can become a tensor's, or of any other type that kernels use. It holds
    /// whatever was there before.
    ///
    /// # Errors
    /// There is no memory left.
    pub fn alloc<T: 'static>(&self, len: usize) -> Result<SendSyncDeviceMemory<T>> {
        let (len, dtype) = in_dtype::<T>(len)?;
        self.erased().alloc(len, dtype).map(SendSyncDeviceMemory::new)
    }

    /// [`RocmDevice::alloc`] with zeros.
    ///
    /// # Errors
    /// There is no memory left.
    pub fn alloc_zeros<T: 'static>(&self, len: usize) -> Result<SendSyncDeviceMemory<T>> {
        let (len, dtype) = in_dtype::<T>(len)?;
        self.erased().zeros(&Shape::from(len), dtype).map(SendSyncDeviceMemory::new)
    }

    /// A copy of host memory on the device.
    ///
    /// # Errors
    /// There is no memory left. `T` is a type that candle only carries around, and has no values.
    pub fn clone_htod<T: WithDType>(&self, values: &[T]) -> Result<SendSyncDeviceMemory<T>> {
        // Those panic when asked for them.
        if size_of::<T>() == 0 {
            return Err(Error::UnsupportedDTypeForOp(T::DTYPE, "clone_htod").bt());
        }
        self.erased().from_slice(T::cpu_storage_ref(values)).map(SendSyncDeviceMemory::new)
    }

    /// A copy of device memory on the host, behind all that was queued.
    ///
    /// # Errors
    /// What failed on the device since the last call that waited.
    pub fn clone_dtoh<T: WithDType>(&self, memory: &SendSyncDeviceMemory<T>) -> Result<Vec<T>> {
        T::cpu_storage_data(memory.storage().to_cpu_storage()?)
    }

    /// The kernel of that name in a HIP source. It is compiled and loaded on first use, for this device, and kept on disk.
    ///
    /// Kernels are `extern "C" __global__ void` functions. Sources that were written for CUDA may include `cuda_fp16.h`, `cuda_bf16.h`
    /// and `cuda_runtime.h`; `WAVE` is the wavefront size. `module` is for messages.
    ///
    /// # Errors
    /// There is no such kernel, or the source does not compile: the error has the compiler's log.
    pub fn get_or_load_custom_func(&self, kernel: &str, module: &str, source: &str) -> Result<Function> {
        let loaded = self.erased().kernel(kernel, module, source)?;
        Ok(Function::new(loaded, self.clone()))
    }

    /// The stream that all work of this device goes to: each device has one.
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
