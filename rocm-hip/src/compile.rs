//! Compiling kernels at run time.

use rocm_kernels::Target;

use crate::{Device, Module, Platform, Result};

impl Device {
    /// Compiles and loads HIP kernels; `name` is for messages. The compiler's log is in the error.
    ///
    /// The source needs no includes: threadIdx, `__shared__`, atomics and the like are there. Kernels are
    /// `extern "C" __global__ void` functions. `WAVE` is the wavefront size. See [`Launch`](crate::Launch) for an example.
    ///
    /// # Errors
    /// [`HipError::Compile`](crate::HipError::Compile) with the compiler's log, [`HipError::Load`](crate::HipError::Load) if there
    /// is no compiler (hiprtc).
    pub fn compile(self, name: &str, source: &str) -> Result<Module> {
        self.compile_with(name, source, &[], &[])
    }

    /// [`Device::compile`] with headers, as (name, text), that the source may include, and further options for the compiler, as
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
        let compiler = self.runtime().hiprtc()?;
        let code = rocm_kernels::compile(name, source, headers, options, &self.target(), compiler)?;
        Module::load(self, name, code)
    }

    /// What code for the device is compiled for.
    pub fn target(self) -> Target {
        let target = Target::new(self.arch(), self.wavefront_size());
        // Only ROCm's versions say what code can be loaded.
        match self.platform() == Platform::AMD {
            true => target.with_runtime_version(self.runtime().version()),
            false => target,
        }
    }
}
