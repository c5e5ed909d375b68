//! Errors of compilation.

/// Why a program could not be compiled at run time.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// The compiler rejected the source.
    #[error("cannot compile kernels `{name}` for {arch} ({status}; options: {}):\n{log}", .options.join(" "))]
    Rejected {
        /// The program's name.
        name: String,
        /// The device's architecture.
        arch: String,
        /// The compiler's status, such as `HIPRTC_ERROR_COMPILATION`.
        status: String,
        /// The options passed to the compiler.
        options: Vec<String>,
        /// The compiler's output.
        log: String,
    },

    /// A call to the compiler's interface failed.
    #[error("{call} failed: {message}")]
    Compiler {
        /// The function, such as `hiprtcCreateProgram`.
        call: &'static str,
        /// Its status, or why it could not be called.
        message: String,
    },

    /// This version of the compiler is known to abort the process when compiling for this processor.
    #[error(
        "HIP {}.{} cannot compile for {arch} (its compiler aborts the process); install ROCm 5.3 or newer, or compile the kernels \
         ahead of time (those of candle-rocm with `cargo xtask build-kernels --arch {}` in its source)",
        version / 10_000_000, version / 100_000 % 100, super::target::processor(.arch)
    )]
    CompilerTooOld {
        /// The runtime's version, as `hipRuntimeGetVersion` gives it.
        version: i32,
        /// The device's architecture.
        arch: String,
    },

    /// A string passed to the compiler contains a NUL byte.
    #[error("{what} contains a NUL byte")]
    NulByte {
        /// The argument.
        what: String,
    },
}
