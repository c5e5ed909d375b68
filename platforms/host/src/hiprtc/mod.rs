//! hiprtc: kernels are compiled by the system's C++ compiler.
//!
//! A source is preprocessed after a prelude that defines HIP's language, rewritten where C++ has no equivalent, and compiled to a
//! shared object. See `prelude/` for what is available to kernels.

mod api;
pub(crate) mod compiler;
mod folder;
mod options;
mod prelude;
pub(crate) mod program;
mod rewrite;
mod sanitizer_environment;

pub(crate) use api::{EXPORTS, EXTENSIONS};
pub use sanitizer_environment::sanitizer_environment;
