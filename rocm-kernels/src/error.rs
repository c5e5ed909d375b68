//! Why there is no code object.

/// What can go wrong between a [`Module`](crate::Module) and the bytes a device loads.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KernelError {
    /// Nothing built in, nothing cached, no compiler.
    #[error(
        "no kernels `{module}` for {arch}: built in are {}; no run-time compiler ({reason}). Build them once with \
         `cargo xtask build-kernels --arch {}` in candle-rocm's source, or install hiprtc (part of ROCm's HIP runtime: \
         libhiprtc.so)",
        or_none(.built_in),
        processor(.arch)
    )]
    NoCodeObject {
        /// The module's name.
        module: String,
        /// The device's arch.
        arch: String,
        /// The archs that have this module built in.
        built_in: Vec<String>,
        /// Why it could not be compiled now.
        reason: String,
    },

    /// The compiler refused the source.
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
        /// What it wrote.
        log: String,
    },

    /// A call of the compiler's interface failed.
    #[error("{call} failed: {message}")]
    Compiler {
        /// The function, e.g. `hiprtcCreateProgram`.
        call: &'static str,
        /// Its status, or why it could not be called.
        message: String,
    },

    /// This compiler is known to abort the whole process for this processor.
    #[error(
        "HIP {}.{} cannot compile for {arch} (its compiler aborts the process): install ROCm 5.3 or newer, or build the \
         kernels with `cargo xtask build-kernels --arch {}` in candle-rocm's source",
        version / 10_000_000, version / 100_000 % 100, processor(.arch)
    )]
    CompilerTooOld {
        /// The runtime's version, as `hipRuntimeGetVersion` gives it.
        version: i32,
        /// The device's arch.
        arch: String,
    },

    /// An option or name holds a NUL byte.
    #[error("{what} holds a NUL byte, which the compiler's interface cannot take")]
    NulByte {
        /// Which argument.
        what: String,
    },

    /// A built-in code object does not decompress: the build was damaged.
    #[error(
        "the built-in kernels `{module}` for {arch} are damaged ({message}): rebuild with `cargo xtask build-kernels \
         --arch {arch}`"
    )]
    DamagedPrebuilt {
        /// The module's name.
        module: String,
        /// The arch it was built for.
        arch: String,
        /// What the decompressor said.
        message: String,
    },
}

fn or_none(archs: &[String]) -> String {
    if archs.is_empty() { "none".to_owned() } else { archs.join(", ") }
}

fn processor(arch: &str) -> &str {
    arch.split(':').next().unwrap_or(arch)
}
