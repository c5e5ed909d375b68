//! MIOpen: convolutions and other layers of neural networks.
//!
//! The types, constants and functions of `miopen/miopen.h` under their C names. HIP's types come from [`crate::hip`].

#[rustfmt::skip]
#[allow(clippy::all, missing_docs, non_camel_case_types, non_snake_case, non_upper_case_globals, rustdoc::all)]
#[allow(clippy::undocumented_unsafe_blocks, unnecessary_transmutes, unreachable_pub, unused_imports)]
mod bindings;
#[rustfmt::skip]
#[allow(clippy::too_many_arguments, missing_docs, non_snake_case, rustdoc::all, unused_imports)]
mod functions;
mod status_strings;

pub use bindings::*;
pub use functions::{Miopen, SYMBOLS, signature};
pub use status_strings::status_text;
