//! Errors.

/// Why a [`Module`](crate::Module) has no code object for a device.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KernelError {
    /// It is neither built in nor cached, and there is no compiler.
    #[error(
        "no code object of the kernels `{module}` for {arch}: built in for {}; cannot compile at run time ({reason}). Build it \
         with `cargo xtask build-kernels --arch {}` in candle-rocm's source, or install hiprtc (libhiprtc.so, part of ROCm's \
         HIP runtime)",
        or_none(.built_in),
        processor(.arch)
    )]
    NoCodeObject {
        /// The module's name.
        module: String,
        /// The device's arch.
        arch: String,
        /// The archs that this module is built in for.
        built_in: Vec<String>,
        /// Why it cannot be compiled at run time.
        reason: String,
    },

    /// The compiler rejected the source.
    #[error("cannot compile kernels `{name}` for {arch} ({status}; options: {}):\n{log}", .options.join(" "))]
    Compile {
        /// The module's or program's name.
        name: String,
        /// The device's arch.
        arch: String,
        /// The compiler's status, e.g. `HIPRTC_ERROR_COMPILATION`.
        status: String,
        /// The options it was given.
        options: Vec<String>,
        /// The compiler's output.
        log: String,
    },

    /// A call to the compiler's interface failed.
    #[error("{call} failed: {message}")]
    Compiler {
        /// The function, e.g. `hiprtcCreateProgram`.
        call: &'static str,
        /// Its status, or why it cannot be called.
        message: String,
    },

    /// This version of the compiler is known to abort the process for this processor.
    #[error(
        "HIP {}.{} cannot compile for {arch} (its compiler aborts the process); install ROCm 5.3 or newer, or build the kernels \
         with `cargo xtask build-kernels --arch {}` in candle-rocm's source",
        version / 10_000_000, version / 100_000 % 100, processor(.arch)
    )]
    CompilerTooOld {
        /// The runtime's version, as `hipRuntimeGetVersion` gives it.
        version: i32,
        /// The device's arch.
        arch: String,
    },

    /// A string passed to the compiler contains a NUL byte.
    #[error("{what} contains a NUL byte")]
    NulByte {
        /// Which argument.
        what: String,
    },

    /// A built-in code object cannot be decompressed.
    #[error(
        "the built-in kernels `{module}` for {arch} are corrupted ({message}); rebuild them with `cargo xtask build-kernels \
         --arch {arch}`"
    )]
    DamagedPrebuilt {
        /// The module's name.
        module: String,
        /// The arch it was built for.
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
