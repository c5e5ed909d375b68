//! Errors.

use rocm_hip::CompileError;

/// Why a [`Module`](crate::Module) has no code object for a device.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KernelError {
    /// The code object is neither built in nor cached, and there is no compiler.
    #[error(
        "no code object of the kernels `{module}` for {arch}: built in for {}; cannot compile at run time ({reason}). Build it \
         with `cargo xtask build-kernels --arch {}` in candle-rocm's source, or install hiprtc or comgr (libhiprtc.so, \
         libamd_comgr.so: parts of ROCm's HIP runtime)",
        or_none(.built_in),
        processor(.arch)
    )]
    NoCodeObject {
        /// The module's name.
        module: String,
        /// The device's architecture.
        arch: String,
        /// The architectures for which this module is built in.
        built_in: Vec<String>,
        /// Why the module cannot be compiled at run time.
        reason: String,
    },

    /// Compilation failed.
    #[error(transparent)]
    Compile(#[from] CompileError),

    /// A built-in code object cannot be decompressed.
    #[error(
        "the built-in kernels `{module}` for {arch} are corrupted ({message}); rebuild them with `cargo xtask build-kernels \
         --arch {arch}`"
    )]
    DamagedPrebuilt {
        /// The module's name.
        module: String,
        /// The architecture it was built for.
        arch: String,
        /// The decompressor's error.
        message: String,
    },
}

fn or_none(archs: &[String]) -> String {
    if archs.is_empty() { "none".to_owned() } else { archs.join(", ") }
}

fn processor(arch: &str) -> &str {
    arch.split(':').next().unwrap_or(arch)
}
