//! What a backend implements, and the same without its types.

use std::ffi::c_void;
use std::fmt;
use std::sync::Arc;

use super::rocm_rs::hip::{Dim3, MemoryInfo};
use crate::backend::BackendDevice;
use crate::cpu_backend::CpuDevice;
use crate::rocm::{held, Backend, ErasedStorage, Held};
use crate::{DType, Result, Shape};

/// A backend device's support for programs with their own HIP kernels. All methods have defaults, which are those of a device without HIP.
pub trait Hip: BackendDevice {
    /// Returns a kernel of the HIP source. Compiles and loads it on first use. `module` appears in messages.
    fn kernel(&self, name: &str, module: &str, source: &str) -> Result<Arc<dyn Kernel>> {
        let _ = source;
        crate::bail!("cannot load kernel {name} of module {module}: {} has no HIP", describe(self))
    }

    /// The device's free and total memory.
    fn memory_info(&self) -> Result<MemoryInfo> {
        crate::bail!("memory_info: {} has no HIP", describe(self))
    }

    /// Allocates `len` elements with unspecified but valid values.
    fn alloc(&self, len: usize, dtype: DType) -> Result<Self::Storage> {
        self.zeros_impl(&Shape::from(len), dtype)
    }

    /// The address of the first element, for work that is queued from now on. The elements have been computed, or their computation is
    /// queued.
    fn address(storage: &Self::Storage) -> Result<*mut c_void> {
        use crate::backend::BackendStorage;
        crate::bail!("address of {:?} elements for a kernel: their device has no HIP", storage.dtype())
    }

    /// Makes sure that work queued from now on for other storages does not access this memory: no copy shares it.
    fn unshare(storage: &mut Self::Storage) -> Result<()> {
        let _ = storage;
        Ok(())
    }
}

impl Hip for CpuDevice {}

fn describe<D: BackendDevice>(device: &D) -> String {
    format!("{:?}", device.location())
}

/// A kernel loaded on a device.
pub trait Kernel: fmt::Debug + Send + Sync {
    /// Queues the kernel after everything that the device has been given. Each argument is the address of a parameter's value.
    ///
    /// # Errors
    /// If the device refuses the launch configuration, or the number of arguments is not that of the parameters.
    ///
    /// # Safety
    /// The values have the types of the parameters, and with them the kernel accesses only memory that the caller may give it.
    unsafe fn launch(
        &self,
        grid: Dim3,
        block: Dim3,
        shared_mem_bytes: u32,
        arguments: &mut [*mut c_void],
    ) -> Result<()>;
}

/// [`Hip`] of a device.
pub(crate) trait ErasedHip {
    fn kernel(&self, name: &str, module: &str, source: &str) -> Result<Arc<dyn Kernel>>;
    fn memory_info(&self) -> Result<MemoryInfo>;
    fn alloc(&self, len: usize, dtype: DType) -> Result<Box<dyn ErasedStorage>>;
}

impl<D: Backend> ErasedHip for D {
    fn kernel(&self, name: &str, module: &str, source: &str) -> Result<Arc<dyn Kernel>> {
        Hip::kernel(self, name, module, source)
    }

    fn memory_info(&self) -> Result<MemoryInfo> {
        Hip::memory_info(self)
    }

    fn alloc(&self, len: usize, dtype: DType) -> Result<Box<dyn ErasedStorage>> {
        held::<D>(Hip::alloc(self, len, dtype))
    }
}

/// [`Hip`] of a storage.
pub(crate) trait Memory {
    fn address(&self) -> Result<*mut c_void>;
    fn unshare(&mut self) -> Result<()>;
}

impl<D: Backend> Memory for Held<D> {
    fn address(&self) -> Result<*mut c_void> {
        D::address(&self.0)
    }

    fn unshare(&mut self) -> Result<()> {
        D::unshare(&mut self.0)
    }
}
