//! The built-in kernels of a physical device, loaded when first used and kept for the life of the process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use rocm_kernels::{Cache, Compiler, KernelError, Target};

use crate::error::Result;
use crate::hash::BuildFastHasher;
use crate::hip::{Device, Function, Module, Platform};

/// Functions are never freed: their number is that of the kernels, and a launch may borrow them for as long as it likes.
pub(super) struct Functions {
    device: Device,
    modules: RwLock<Vec<Arc<Slot>>>,
}

struct Slot {
    key: &'static rocm_kernels::Module,
    /// Loading takes seconds when the kernels have to be compiled: others wait for it, for this module only.
    module: Mutex<Option<Module>>,
    functions: RwLock<HashMap<Box<str>, &'static Function, BuildFastHasher>>,
}

impl Slot {
    fn is(&self, module: &rocm_kernels::Module) -> bool {
        // The lengths tell modules of users apart that have the same name. Not the sources' addresses: a constant may
        // have several.
        self.key.name == module.name && self.key.source.len() == module.source.len()
    }
}

impl Functions {
    /// Those of the device, shared by every `RocmDevice` on it.
    pub(super) fn of(device: Device) -> &'static Functions {
        static ALL: Mutex<Vec<&'static Functions>> = Mutex::new(Vec::new());
        let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = all.iter().find(|known| known.device == device) {
            return known;
        }
        let new: &'static _ = Box::leak(Box::new(Functions { device, modules: RwLock::default() }));
        all.push(new);
        new
    }

    /// The kernel `name` of the module.
    pub(super) fn get(&self, module: &'static rocm_kernels::Module, name: &str) -> Result<&'static Function> {
        self.device.check_usable()?;
        {
            let modules = self.modules.read().unwrap_or_else(PoisonError::into_inner);
            if let Some(slot) = modules.iter().find(|slot| slot.is(module)) {
                let functions = slot.functions.read().unwrap_or_else(PoisonError::into_inner);
                if let Some(function) = functions.get(name) {
                    return Ok(function);
                }
            }
        }
        self.load(module, name)
    }

    #[cold]
    fn load(&self, module: &'static rocm_kernels::Module, name: &str) -> Result<&'static Function> {
        let slot = {
            let mut modules = self.modules.write().unwrap_or_else(PoisonError::into_inner);
            match modules.iter().find(|slot| slot.is(module)) {
                Some(slot) => slot.clone(),
                None => {
                    let slot = Slot { key: module, module: Mutex::default(), functions: RwLock::default() };
                    modules.push(Arc::new(slot));
                    modules[modules.len() - 1].clone()
                }
            }
        };
        let loaded = {
            let mut loaded = slot.module.lock().unwrap_or_else(PoisonError::into_inner);
            match &*loaded {
                Some(loaded) => loaded.clone(),
                None => loaded.insert(load_module(self.device, module)?).clone(),
            }
        };
        let mut functions = slot.functions.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(function) = functions.get(name) {
            return Ok(function);
        }
        let function: &'static Function = Box::leak(Box::new(loaded.function(name)?));
        functions.insert(name.into(), function);
        Ok(function)
    }
}

fn load_module(device: Device, module: &'static rocm_kernels::Module) -> Result<Module> {
    // Without a compiler there may still be code built in or cached, and if not, the error says why there is none.
    let hiprtc = device.runtime().hiprtc();
    let compiler: Option<&dyn Compiler> = match &hiprtc {
        Ok(hiprtc) => Some(*hiprtc),
        Err(_) => None,
    };
    match rocm_kernels::code_object(module, &target(device), compiler, &Cache::user()) {
        Ok(code) => Module::load(device, module.name, code),
        Err(KernelError::NoCodeObject { module, arch, built_in, reason }) => {
            let reason = hiprtc.err().map_or(reason, |error| error.to_string());
            Err(KernelError::NoCodeObject { module, arch, built_in, reason }.into())
        }
        Err(error) => Err(error.into()),
    }
}

/// The device as the kernels see it.
pub(super) fn target(device: Device) -> Target {
    let target = Target::new(device.arch(), device.wavefront_size());
    match device.platform() {
        Platform::Amd => target.with_runtime_version(device.runtime().version()),
        Platform::Host | Platform::Nvidia => target,
    }
}
