//! Modules that are never unloaded.

use std::collections::HashMap;
use std::fmt;

use crate::hash::BuildFastHasher;
use crate::lock::{self, RwLock};
use crate::{Function, Module, Result};

/// A module that stays loaded until the process ends, and that looks up each function only once: for kernels that are launched often.
///
/// Functions are never freed: there is one per kernel, and a launch may borrow it for any length of time.
pub struct ResidentModule {
    module: Module,
    functions: RwLock<HashMap<Box<str>, &'static Function, BuildFastHasher>, lock::Functions>,
}

impl ResidentModule {
    /// Wraps a module. The first lookup of a function makes it resident.
    pub fn new(module: Module) -> Self {
        Self { module, functions: RwLock::default() }
    }

    /// The module.
    pub fn module(&self) -> &Module {
        &self.module
    }

    /// Looks up the kernel with this name.
    ///
    /// # Errors
    /// [`HipError::NoSuchKernel`](crate::HipError::NoSuchKernel) if there is none.
    pub fn function(&self, name: &str) -> Result<&'static Function> {
        {
            let functions = self.functions.read();
            if let Some(function) = functions.get(name) {
                return Ok(function);
            }
        }
        self.find(name)
    }

    #[cold]
    fn find(&self, name: &str) -> Result<&'static Function> {
        let mut functions = self.functions.write();
        if let Some(function) = functions.get(name) {
            return Ok(function);
        }
        let function: &'static Function = Box::leak(Box::new(self.module.function(name)?));
        functions.insert(name.into(), function);
        Ok(function)
    }
}

impl fmt::Debug for ResidentModule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ResidentModule({:?})", self.module)
    }
}
