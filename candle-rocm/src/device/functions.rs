//! The built-in kernels of a physical device, loaded when first used and kept for the life of the process.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use rocm_kernels::{Cache, Compiler, KernelError, LANGUAGE_MODELS, Target};

use crate::error::Result;
use crate::hip::{Device, Function, Module, ResidentModule};
use crate::lock::{Loading, Mutex, RwLock};

/// Modules, once loaded, are never freed.
pub(super) struct Functions {
    device: Device,
    modules: RwLock<Vec<&'static Slot>>,
    /// How many modules had no code when they were needed.
    missing: AtomicUsize,
}

struct Slot {
    key: &'static rocm_kernels::Module,
    module: OnceLock<ResidentModule>,
    /// Loading takes seconds when the kernels have to be compiled: others wait for it, for this module only.
    loading: Mutex<(), Loading>,
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
        let mut all = ALL.lock();
        if let Some(known) = all.iter().find(|known| known.device == device) {
            return known;
        }
        let new: &'static _ = Box::leak(Box::new(Functions {
            device,
            modules: RwLock::default(),
            missing: AtomicUsize::new(0),
        }));
        all.push(new);
        new
    }

    /// The kernel `name` of the module.
    pub(super) fn get(&self, module: &'static rocm_kernels::Module, name: &str) -> Result<&'static Function> {
        self.device.check_usable()?;
        let slot = self.slot(module);
        let loaded = match slot.module.get() {
            Some(loaded) => loaded,
            None => self.load(slot)?,
        };
        Ok(loaded.function(name)?)
    }

    fn slot(&self, module: &'static rocm_kernels::Module) -> &'static Slot {
        {
            let modules = self.modules.read();
            if let Some(slot) = modules.iter().find(|slot| slot.is(module)) {
                return slot;
            }
        }
        let mut modules = self.modules.write();
        if let Some(slot) = modules.iter().find(|slot| slot.is(module)) {
            return slot;
        }
        let new: &'static _ =
            Box::leak(Box::new(Slot { key: module, module: OnceLock::new(), loading: Mutex::default() }));
        modules.push(new);
        new
    }

    #[cold]
    fn load(&self, slot: &'static Slot) -> Result<&'static ResidentModule> {
        let _guard = slot.loading.lock();
        if let Some(loaded) = slot.module.get() {
            return Ok(loaded);
        }
        let module = self.load_module(slot.key)?;
        Ok(slot.module.get_or_init(|| ResidentModule::new(module)))
    }

    fn load_module(&self, module: &'static rocm_kernels::Module) -> Result<Module> {
        let (target, cache) = (self.device.target(), Cache::user());
        // Without a compiler there may still be code built in or cached, and if not, the error says why there is none.
        let compiler = self.device.runtime().compiler();
        if let Ok(compiler) = compiler {
            self.compile_ahead(module, &target, compiler, &cache);
        }
        let usable = compiler.as_ref().ok().map(|&compiler| compiler as &dyn Compiler);
        match rocm_kernels::code_object(module, &target, usable, &cache) {
            Ok(code) => Ok(Module::load(self.device, module.name, code)?),
            Err(KernelError::NoCodeObject { module, arch, built_in, reason }) => {
                let reason = compiler.err().map_or(reason, |error| error.to_string());
                Err(KernelError::NoCodeObject { module, arch, built_in, reason }.into())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// A program that meets a second module without code will meet more. Those that most programs use are then compiled on all
    /// cores, while this one is waited for. The first one starts nothing: a program of one operation ends without the rest.
    fn compile_ahead(
        &self,
        module: &rocm_kernels::Module,
        target: &Target,
        compiler: &'static (dyn Compiler + Send + Sync),
        cache: &Cache,
    ) {
        // An error of the compiler is for whoever needs the module.
        let is_missing = || matches!(rocm_kernels::is_ready(module, target, compiler, cache), Ok(false));
        if self.missing.load(Ordering::Relaxed) < 2
            && is_missing()
            && self.missing.fetch_add(1, Ordering::Relaxed) == 1
        {
            let _ = rocm_kernels::prepare_in_background(LANGUAGE_MODELS, target, compiler, cache);
        }
    }
}
