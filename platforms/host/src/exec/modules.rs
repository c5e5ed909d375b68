//! HIP's modules, and the handles of their kernels.

use std::collections::HashMap;
use std::ffi::{CStr, c_void};
use std::sync::Arc;

use rocm_platform::hip::{HipResult, Modules};
use rocm_platform::{Handles, hip_module_exports};
use rocm_sys::hip::{hipDeviceptr_t, hipError_t, hipFunction_t, hipModule_t};

use super::blob::{self, Blob};
use super::module::Module;
use super::sanitize::Sanitizer;
use crate::exports::Host;
use crate::runtime::{device, fault};

static MODULES: Handles<LoadedModule> = Handles::new(0x4d4f_0000_0000_0000);
static FUNCTIONS: Handles<Function> = Handles::new(0x4d46_0000_0000_0000);

struct LoadedModule {
    module: Arc<Module>,
    /// The handles of its kernels that were asked for, by their index in the module.
    functions: HashMap<usize, usize>,
}

/// A kernel of a module.
#[derive(Clone)]
pub(super) struct Function {
    pub(super) module: Arc<Module>,
    pub(super) kernel: usize,
}

impl Function {
    /// The kernel that a handle stands for.
    pub(super) fn get(handle: hipFunction_t) -> HipResult<Self> {
        FUNCTIONS.get(handle as usize).ok_or(hipError_t::hipErrorInvalidHandle)
    }
}

/// Loads a module for the current device.
fn load(blob: Option<Blob>) -> HipResult<hipModule_t> {
    let device = device::current();
    device.check()?;
    let blob = blob.ok_or(hipError_t::hipErrorInvalidImage)?;
    let mismatch = if blob.wave != 0 && blob.wave != device.wavefront {
        Some(format!("compiled for host-wave{}, but the device is host-wave{}", blob.wave, device.wavefront))
    } else if blob.needs_v3 && !blob::has_v3() {
        Some("compiled for a CPU with AVX2, which this CPU lacks".to_owned())
    } else if blob.sanitizer != Sanitizer::active() {
        let name = |kind: Option<Sanitizer>| kind.map_or("none", Sanitizer::name);
        Some(format!(
            "compiled with CANDLE_ROCM_HOST_SANITIZE={}, but this process runs with {}",
            name(blob.sanitizer),
            name(Sanitizer::active())
        ))
    } else {
        Sanitizer::active().and_then(|sanitizer| sanitizer.check_process().err())
    };
    if let Some(why) = mismatch {
        fault::report(format!("cannot load module: {why}"));
        return Err(hipError_t::hipErrorNoBinaryForGpu);
    }
    let module = Module::load(blob.object, device).map_err(|why| {
        fault::report(format!("cannot load module: {why}"));
        hipError_t::hipErrorInvalidImage
    })?;
    let loaded = LoadedModule { module: Arc::new(module), functions: HashMap::new() };
    Ok(MODULES.insert(loaded) as hipModule_t)
}

impl Modules for Host {
    fn load(bytes: Vec<u8>) -> HipResult<hipModule_t> {
        load(blob::decode(&bytes))
    }

    fn load_sized(image: &[u8]) -> HipResult<hipModule_t> {
        load(blob::decode(image))
    }

    unsafe fn load_image(image: *const c_void) -> HipResult<hipModule_t> {
        // SAFETY: the caller's image; bytes that are not a module are read only up to the first that differs.
        load(unsafe { blob::decode_pointer(image.cast()) })
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
            let mut kernels = loaded.module.kernels.iter();
            let kernel = kernels.position(|kernel| kernel.name.as_bytes() == name.to_bytes())?;
            let function = || Function { module: Arc::clone(&loaded.module), kernel };
            Some(*loaded.functions.entry(kernel).or_insert_with(|| FUNCTIONS.insert(function())))
        };
        let found = MODULES.with(module as usize, find).ok_or(hipError_t::hipErrorInvalidHandle)?;
        found.map(|handle| handle as hipFunction_t).ok_or(hipError_t::hipErrorNotFound)
    }

    unsafe fn variable(module: hipModule_t, name: &CStr) -> HipResult<(hipDeviceptr_t, usize)> {
        let module = MODULES.with(module as usize, |loaded| Arc::clone(&loaded.module));
        let module = module.ok_or(hipError_t::hipErrorInvalidHandle)?;
        let found = module.globals.as_ref().and_then(|globals| globals.find(&name.to_string_lossy()));
        let (address, size) = found.ok_or(hipError_t::hipErrorNotFound)?;
        Ok((address as hipDeviceptr_t, size))
    }
}

hip_module_exports! { Host }
