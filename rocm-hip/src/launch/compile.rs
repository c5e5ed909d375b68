//! Compiling kernels at run time.

use crate::{Cache, Device, Module, Platform, Program, Result, Target, compile_cached};

impl Device {
    /// Compiles and loads HIP kernels. `name` appears in messages.
    ///
    /// The source needs no includes: `threadIdx`, `__shared__`, atomics and so on are predefined, and `WAVE` is the wavefront size. Kernels
    /// are `extern "C" __global__ void` functions. See [`Launch`](crate::Launch) for an example.
    ///
    /// The result is cached on disk (in `CANDLE_ROCM_CACHE_DIR`, or the user's cache folder).
    ///
    /// # Errors
    /// [`HipError::Compile`](crate::HipError::Compile) with the compiler's log, [`HipError::NoCompiler`](crate::HipError::NoCompiler) if
    /// there is no compiler (hiprtc or comgr).
    pub fn compile(self, name: &str, source: &str) -> Result<Module> {
        self.compile_with(name, source, &[], &[])
    }

    /// [`Device::compile`] with headers that the source may include, as (name, text), and additional compiler options such as
    /// `-DTILE=64`.
    ///
    /// # Errors
    /// As [`Device::compile`].
    pub fn compile_with(
        self,
        name: &str,
        source: &str,
        headers: &[(&str, &str)],
        options: &[&str],
    ) -> Result<Module> {
        self.check_usable()?;
        let compiler = self.runtime().compiler()?;
        let (target, cache) = (self.target(), Cache::user());
        let code = compile_cached(&Program { name, source, headers, options }, &target, compiler, &cache)?;
        Module::load(self, name, code)
    }

    /// The target for which code for this device is compiled.
    pub fn target(self) -> Target {
        let target = Target::new(self.arch(), self.wavefront_size());
        // Only ROCm's versions say what code can be loaded.
        match self.platform() == Platform::AMD {
            true => target.with_runtime_version(self.runtime().version()),
            false => target,
        }
    }
}
