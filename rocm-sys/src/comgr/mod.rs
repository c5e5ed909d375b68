//! comgr, AMD's code object manager: the compiler that hiprtc calls. It ships with the HIP runtime, which needs it too.
//!
//! The types, constants and functions of `amd_comgr/amd_comgr.h` under their C names.
//!
//! The bindings are those of comgr 3, which renumbered two enums. For a library of version 2 (`amd_comgr_get_version`), use [`Numbers`].

#[rustfmt::skip]
#[allow(clippy::all, missing_docs, non_camel_case_types, non_snake_case, non_upper_case_globals, rustdoc::all)]
#[allow(clippy::undocumented_unsafe_blocks, unnecessary_transmutes, unreachable_pub)]
mod bindings;
#[rustfmt::skip]
#[allow(clippy::too_many_arguments, missing_docs, non_snake_case, rustdoc::all)]
mod functions;
mod numbers;

pub use bindings::*;
pub use functions::{Comgr, SYMBOLS, signature};
pub use numbers::Numbers;
