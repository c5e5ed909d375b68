//! comgr, AMD's code object manager: the compiler that hiprtc calls. The HIP runtime needs it too, so it is wherever that is.
//!
//! The types, constants and functions of `amd_comgr/amd_comgr.h` under their C names.
//!
//! The bindings are those of comgr 3, which renumbered two enums. A library of version 2 (`amd_comgr_get_version`) takes other
//! numbers for the same things: [`Numbers`].

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
