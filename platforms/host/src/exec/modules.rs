//! HIP's modules, and the handles of their kernels.

use std::collections::HashMap;
use std::ffi::{CStr, c_void};
use std::sync::Arc;

use rocm_platform::hip::{HipResult, Modules};
use rocm_platform::{Handles, hip_module_exports};
use rocm_sys::hip::{hipDeviceptr_t, hipError_t, hipFunction_t, hipModule_t};

use crate::exports::Host;
use crate::processor::{Code, Kernel};
use crate::runtime::{device, fault};

static MODULES: Handles<LoadedModule> = Handles::new(0x4d4f_0000_0000_0000);
static FUNCTIONS: Handles<Function> = Handles::new(0x4d46_0000_0000_0000);

struct LoadedModule {
    code: Arc<dyn Code>,
    /// The architecture of the device that it was loaded for.
    arch: Arc<str>,
    /// The handles of its kernels that were asked for, by their index in the module.
    functions: HashMap<usize, usize>,
}

/// A kernel of a module.
#[derive(Clone)]
pub(super) struct Function {
    pub(super) code: Arc<dyn Code>,
    pub(super) arch: Arc<str>,
    pub(super) kernel: usize,
}

impl Function {
    /// The kernel that a handle stands for.
    pub(super) fn get(handle: hipFunction_t) -> HipResult<Self> {
        FUNCTIONS.get(handle as usize).ok_or(hipError_t::hipErrorInvalidHandle)
    }

    /// Its name and parameters.
    pub(super) fn info(&self) -> &Kernel {
        &self.code.kernels()[self.kernel]
    }
}

/// Loads a module for the current device.
fn load(image: Option<&[u8]>) -> HipResult<hipModule_t> {
    let device = device::current();
    device.check()?;
    let image = image.ok_or(hipError_t::hipErrorInvalidImage)?;
    let code = device.processor.load(image, device.ordinal).map_err(|error| {
        if !error.why().is_empty() {
            fault::report(format!("cannot load module: {}", error.why()));
        }
        error.code()
    })?;
    let loaded = LoadedModule { code, arch: Arc::clone(&device.arch), functions: HashMap::new() };
    Ok(MODULES.insert(loaded) as hipModule_t)
}

impl Modules for Host {
    fn load(bytes: Vec<u8>) -> HipResult<hipModule_t> {
        load(Some(&bytes))
    }

    fn load_sized(image: &[u8]) -> HipResult<hipModule_t> {
        load(Some(image))
    }

    unsafe fn load_image(image: *const c_void) -> HipResult<hipModule_t> {
        // SAFETY: the caller's image.
        let length = unsafe { device::current().processor.image_length(image) };
        // SAFETY: as long as the module says that it is.
        load(length.map(|length| unsafe { std::slice::from_raw_parts(image.cast(), length) }))
    }

    /// Launches that are queued still run.
    unsafe fn unload(module: hipModule_t) -> HipResult {
        let loaded = MODULES.remove(module as usize).ok_or(hipError_t::hipErrorInvalidHandle)?;
        for &handle in loaded.functions.values() {
            FUNCTIONS.remove(handle);
        }
        Ok(())
    }

    unsafe fn function(module: hipModule_t, name: &CStr) -> HipResult<hipFunction_t> {
        let find = |loaded: &mut LoadedModule| {
            let mut kernels = loaded.code.kernels().iter();
            let kernel = kernels.position(|kernel| kernel.name.as_bytes() == name.to_bytes())?;
            let function = || {
                let (code, arch) = (Arc::clone(&loaded.code), Arc::clone(&loaded.arch));
                FUNCTIONS.insert(Function { code, arch, kernel })
            };
            Some(*loaded.functions.entry(kernel).or_insert_with(function))
        };
        let found = MODULES.with(module as usize, find).ok_or(hipError_t::hipErrorInvalidHandle)?;
        found.map(|handle| handle as hipFunction_t).ok_or(hipError_t::hipErrorNotFound)
    }

    unsafe fn variable(module: hipModule_t, name: &CStr) -> HipResult<(hipDeviceptr_t, usize)> {
        let code = MODULES.with(module as usize, |loaded| Arc::clone(&loaded.code));
        let code = code.ok_or(hipError_t::hipErrorInvalidHandle)?;
        let (address, size) = code.variable(&name.to_string_lossy()).ok_or(hipError_t::hipErrorNotFound)?;
        Ok((address as hipDeviceptr_t, size))
    }
}

hip_module_exports! { Host }
