//! What a backend implements, and the same without its types.

use std::ffi::c_void;
use std::fmt;
use std::sync::Arc;

use super::rocm_rs::hip::{Dim3, MemoryInfo};
use crate::backend::BackendDevice;
use crate::cpu_backend::CpuDevice;
use crate::rocm::{held, Backend, ErasedStorage, Held};
use crate::{DType, Result, Shape};

/// What a backend's device does for programs with HIP kernels of their own. All methods have defaults: those of a device without HIP.
pub trait Hip: BackendDevice {
    /// The kernel of that name in the HIP source, compiled and loaded now if it was not yet. `module` is for messages.
    fn kernel(&self, name: &str, module: &str, source: &str) -> Result<Arc<dyn Kernel>> {
        let _ = source;
        crate::bail!("cannot load kernel {name} of module {module}: {} has no HIP", describe(self))
    }

    /// How much memory the device has.
    fn memory_info(&self) -> Result<MemoryInfo> {
        crate::bail!("memory_info: {} has no HIP", describe(self))
    }

    /// Memory for `len` elements, which may hold anything that is a value.
    fn alloc(&self, len: usize, dtype: DType) -> Result<Self::Storage> {
        self.zeros_impl(&Shape::from(len), dtype)
    }

    /// The address of the first element, for what is queued from now on. The elements are computed, or queued to be.
    fn address(storage: &Self::Storage) -> Result<*mut c_void> {
        use crate::backend::BackendStorage;
        crate::bail!("address of {:?} elements for a kernel: their device has no HIP", storage.dtype())
    }

    /// Makes sure that nothing else reads or writes the memory by what is queued from now on: no copy that shares it.
    fn unshare(storage: &mut Self::Storage) -> Result<()> {
        let _ = storage;
        Ok(())
    }
}

impl Hip for CpuDevice {}

fn describe<D: BackendDevice>(device: &D) -> String {
    format!("{:?}", device.location())
}

/// A kernel that is loaded on a device.
pub trait Kernel: fmt::Debug + Send + Sync {
    /// Queues the kernel behind all that the device was given. Each argument is the address of a parameter's value.
    ///
    /// # Errors
    /// A launch configuration that the device refuses, another number of arguments than of parameters.
    ///
    /// # Safety
    /// The values are of the parameters' types, and with them the kernel reads and writes only memory that is the caller's to give.
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
