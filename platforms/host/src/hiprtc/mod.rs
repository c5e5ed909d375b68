//! hiprtc: kernels are compiled by the system's C++ compiler.
//!
//! A source is preprocessed behind a prelude that gives it HIP's language, rewritten where C++ has no word for
//! what HIP says, and compiled to a shared object. See `prelude/` for what kernels find.

mod api;
pub(crate) mod compiler;
mod folder;
mod options;
mod prelude;
mod program;
mod rewrite;

pub(crate) use api::EXPORTS;
pub(crate) use rewrite::{GUARD, GUARDED};
