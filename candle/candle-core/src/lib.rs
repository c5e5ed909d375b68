//! candle-core 0.11.1 with a ROCm device.
//!
//! All is as [docs.rs](https://docs.rs/candle-core/0.11.1) has it, and `Device::new_rocm` beside `new_cuda`; [`rocm`] is for
//! backends and operations with kernels of their own. The sources are made from the crate on crates.io when this is built.

/// A crate may not name its own macros as `crate::bail!` if their definitions are in an included file (rust-lang/rust#52234).
mod macros {
    /// Returns an error whose message is formatted as by [`format!`].
    #[macro_export]
    macro_rules! bail {
        ($($message:tt)+) => {
            return Err($crate::Error::Msg(format!($($message)+)).bt())
        };
    }

    /// Adds arguments to a kernel's launch, each of which lives until the launch.
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
