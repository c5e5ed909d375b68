//! Loaded code and the kernels in it.

use std::ffi::{CString, c_void};
use std::fmt;
use std::ptr;
use std::sync::Arc;

use rocm_sys::extension::{MODULE_LOAD_DATA_SIZED, signature};
use rocm_sys::hip::{hipError_t, hipFunction_t, hipModule_t};

use super::parameters::{ModuleParameters, Parameters};
use crate::code::image;
use crate::interned::InternedName;
use crate::{Device, HipError, Result};

/// A code object loaded on a device. Clones share it. It is unloaded when the last clone and the last [`Function`] are dropped.
#[derive(Clone)]
pub struct Module(Arc<Inner>);

struct Inner {
    device: Device,
    raw: hipModule_t,
    name: Box<str>,
    /// HIP reads the code object lazily, from where it was when it was loaded.
    image: Vec<u8>,
    parameters: ModuleParameters,
}

// SAFETY: HIP's module functions may be called from any thread.
unsafe impl Send for Inner {}
// SAFETY: as above.
unsafe impl Sync for Inner {}

impl Module {
    /// Loads a code object that was compiled for the device's architecture. `name` appears in messages.
    ///
    /// # Errors
    /// [`HipError::BadCodeObject`] if the device cannot load it.
    pub fn load(device: Device, name: &str, image: Vec<u8>) -> Result<Self> {
        let bad = |why: String| HipError::BadCodeObject {
            module: name.to_owned(),
            device: format!("{device} ({})", device.arch()),
            why,
        };
        let sized = device.hip().library().symbol(MODULE_LOAD_DATA_SIZED);
        if sized.is_none() {
            image::check(&image).map_err(bad)?;
        }
        device.bind()?;
        let (mut raw, address) = (ptr::null_mut(), image.as_ptr().cast());
        let code = match sized {
            Some(function) => {
                // SAFETY: our platforms alone export the name, for a function of this type.
                let load = unsafe {
                    std::mem::transmute::<*const c_void, signature::candleRocmModuleLoadDataSized>(function)
                };
                // SAFETY: the image has as many bytes as said, and lives as long as the module.
                Ok(unsafe { load(&mut raw, address, image.len()) })
            }
            // SAFETY: the image starts with a known header and ends behind what that announces; it lives as long as the module.
            None => unsafe { device.hip().hipModuleLoadData(&mut raw, address) },
        };
        match code {
            Ok(
                code @ (hipError_t::hipErrorInvalidImage
                | hipError_t::hipErrorNoBinaryForGpu
                | hipError_t::hipErrorInvalidKernelFile
                | hipError_t::hipErrorSharedObjectInitFailed
                | hipError_t::hipErrorInvalidValue),
            ) => Err(bad(device.error("hipModuleLoadData", code).to_string())),
            code => {
                device.check("hipModuleLoadData", code)?;
                let parameters = ModuleParameters::default();
                Ok(Self(Arc::new(Inner { device, raw, name: name.into(), image, parameters })))
            }
        }
    }

    /// Looks up the kernel with this name.
    ///
    /// # Errors
    /// [`HipError::NoSuchKernel`] if there is none.
    pub fn function(&self, name: &str) -> Result<Function> {
        let missing = || HipError::NoSuchKernel { module: self.0.name.to_string(), kernel: name.to_owned() };
        if name.is_empty() {
            return Err(missing()); // HIP's code for it, an invalid value, could mean anything.
        }
        let c_name = CString::new(name).map_err(|_| missing())?;
        let device = self.0.device;
        device.bind()?;
        let mut raw = ptr::null_mut();
        // SAFETY: the module lives, and the name is a C string.
        match unsafe { device.hip().hipModuleGetFunction(&mut raw, self.0.raw, c_name.as_ptr()) } {
            Ok(code @ hipError_t::hipErrorNotFound) => {
                // Only for its side effect: HIP forgets the code.
                let _ = device.error("hipModuleGetFunction", code);
                Err(missing())
            }
            code => {
                device.check("hipModuleGetFunction", code)?;
                let parameters = self.0.parameters.of(device, &self.0.image, (name, raw));
                Ok(Function { raw, name: InternedName::new(name), parameters, module: self.clone() })
            }
        }
    }

    /// The name under which it was loaded.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The device on which it is loaded.
    pub fn device(&self) -> Device {
        self.0.device
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Module({} on {})", self.0.name, self.0.device)
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        if self.device.is_abandoned() {
            return;
        }
        // Kernels of it may be queued on any stream.
        if self.device.synchronize().is_ok() && self.device.is_reachable_when_idle() {
            // SAFETY: no function of the module is left, and nothing of it runs any more.
            let _ = unsafe { self.device.hip().hipModuleUnload(self.raw) };
        }
    }
}

/// A kernel of a [`Module`]. Keeps the module loaded.
#[derive(Clone)]
pub struct Function {
    raw: hipFunction_t,
    name: InternedName,
    parameters: Option<Parameters>,
    module: Module,
}

// SAFETY: a handle that any thread may use, next to types that are Send and Sync.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Sync for Function {}

impl Function {
    /// The kernel's name.
    pub fn name(&self) -> &'static str {
        self.name.as_str()
    }

    /// The module that contains the kernel.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// The device on which it is loaded.
    pub fn device(&self) -> Device {
        self.module.device()
    }

    /// The raw handle, valid as long as the function lives.
    pub fn as_raw(&self) -> hipFunction_t {
        self.raw
    }

    /// The size of each parameter in bytes; `None` if the platform cannot tell, for example because the code object has no metadata.
    pub fn parameter_sizes(&self) -> Option<&[u16]> {
        self.parameters.as_deref()
    }

    pub(crate) fn kernel_name(&self) -> InternedName {
        self.name
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Function({} of {:?})", self.name(), self.module)
    }
}
