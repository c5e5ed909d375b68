//! candle-core 0.11.0 with a ROCm device.
//!
//! The API is that of [candle-core on docs.rs](https://docs.rs/candle-core/0.11.0), plus `Device::new_rocm`. If candle is built without
//! CUDA, `new_cuda` also returns a ROCm device. The module [`rocm`] is for backends and custom operations, [`rocm_backend`] for programs
//! written for candle PR 3801. The build generates the sources from the crate on crates.io.

/// Defined here because a crate cannot refer to its own macros as `crate::bail!` if they are defined in an included file
/// (rust-lang/rust#52234).
mod macros {
    /// Returns an error with a message formatted like [`format!`].
    #[macro_export]
    macro_rules! bail {
        ($($message:tt)+) => {
            return Err($crate::Error::Msg(format!($($message)+)).bt())
        };
    }

    /// Adds arguments to a kernel launch. Each lives until the launch.
    #[cfg(feature = "cuda")]
    #[macro_export]
    macro_rules! builder_arg {
        ($builder:ident, $($argument:expr),*) => {
            $(
                let argument = $argument;
                $builder.arg(&argument);
            )*
        };
    }
}

include!(concat!(env!("OUT_DIR"), "/patched/src/lib.rs"));
