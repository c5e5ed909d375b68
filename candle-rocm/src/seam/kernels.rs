//! HIP kernels that programs bring along, for candle's `rocm_backend`.

use std::ffi::c_void;
use std::fmt;
use std::sync::Arc;

use candle_core::rocm_backend::rocm_rs::hip::{Dim3, MemoryInfo};
use candle_core::rocm_backend::{Hip, Kernel};
use candle_core::{DType, Result};

use super::cuda;
use crate::device::unless_forked;
use crate::hip::{Function, LaunchConfig, Module};
use crate::lock::{Mutex, ProgramModules};
use crate::{RocmDevice, RocmError, RocmStorage};

impl Hip for RocmDevice {
    fn kernel(&self, name: &str, module: &str, source: &str) -> Result<Arc<dyn Kernel>> {
        let function = self.extension::<Modules>().function(self, name, module, source)?;
        Ok(Arc::new(Loaded { function, device: self.clone() }))
    }

    fn memory_info(&self) -> Result<MemoryInfo> {
        let (free, total) = self.hip_device().memory_info().map_err(RocmError::from)?;
        Ok(MemoryInfo { free, total })
    }

    fn alloc(&self, len: usize, dtype: DType) -> Result<RocmStorage> {
        Ok(RocmStorage::uninit(self, len, dtype)?)
    }

    fn address(storage: &RocmStorage) -> Result<*mut c_void> {
        Ok(storage.slice()?.address().as_raw())
    }

    fn unshare(storage: &mut RocmStorage) -> Result<()> {
        storage.slice_mut()?;
        Ok(())
    }
}

/// A program's kernel on a device.
struct Loaded {
    function: Function,
    device: RocmDevice,
}

impl Kernel for Loaded {
    unsafe fn launch(
        &self,
        grid: Dim3,
        block: Dim3,
        shared_bytes: u32,
        arguments: &mut [*mut c_void],
    ) -> Result<()> {
        let [grid, block] = [grid, block].map(|Dim3 { x, y, z }| [x, y, z]);
        let config = LaunchConfig { grid, block, shared_bytes };
        // Operations that were recorded before come first.
        self.device.flush();
        // SAFETY: as the caller says.
        let launched = unsafe { self.device.queue().launch_raw(&self.function, config, arguments) };
        Ok(launched.map_err(RocmError::from)?)
    }
}

impl fmt::Debug for Loaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kernel {} of module {}", self.function.name(), self.function.module().name())
    }
}

/// What programs loaded on a device.
#[derive(Default)]
struct Modules(Mutex<Vec<Entry>, ProgramModules>);

struct Entry {
    module: Module,
    source: Box<str>,
    functions: Vec<Function>,
}

impl Entry {
    fn is(&self, name: &str, source: &str) -> bool {
        self.module.name() == name && *self.source == *source
    }
}

impl Modules {
    /// The kernel of that name. Modules may have the same name: they are told apart by their sources.
    fn function(
        &self,
        device: &RocmDevice,
        name: &str,
        module: &str,
        source: &str,
    ) -> crate::Result<Function> {
        if let Some(found) = self.loaded(name, module, source) {
            return found;
        }
        // Without the lock: this takes seconds, and others may want other modules. What two threads compile at once is compiled once.
        let new = cuda::compile(device, module, source)?;
        let entry = Entry { module: new, source: source.into(), functions: Vec::new() };
        self.entries(|entries| {
            if !entries.iter().any(|entry| entry.is(module, source)) {
                entries.push(entry);
            }
        });
        self.loaded(name, module, source).unwrap_or_else(|| {
            let message = format!("module {module} was loaded, and is not there");
            Err(RocmError::InvalidArgument { op: "get_or_load_custom_func", message })
        })
    }

    fn loaded(&self, name: &str, module: &str, source: &str) -> Option<crate::Result<Function>> {
        self.entries(|entries| {
            let entry = entries.iter_mut().find(|entry| entry.is(module, source))?;
            if let Some(function) = entry.functions.iter().find(|function| function.name() == name) {
                return Some(Ok(function.clone()));
            }
            Some(entry.module.function(name).map_err(RocmError::from).inspect(|function| {
                entry.functions.push(function.clone());
            }))
        })
    }

    fn entries<R>(&self, run: impl FnOnce(&mut Vec<Entry>) -> R) -> R {
        run(&mut unless_forked(|| &self.0).lock())
    }
}
