//! RCCL: collectives between AMD GPUs, with the functions of NVIDIA's NCCL.
//!
//! The types, constants and functions of `rccl/rccl.h` under their C names. HIP's types come from [`crate::hip`].

#[rustfmt::skip]
#[allow(clippy::all, missing_docs, non_camel_case_types, non_snake_case, non_upper_case_globals, rustdoc::all)]
#[allow(clippy::undocumented_unsafe_blocks, unnecessary_transmutes, unreachable_pub, unused_imports)]
mod bindings;
#[rustfmt::skip]
#[allow(clippy::too_many_arguments, missing_docs, non_snake_case, rustdoc::all, unused_imports)]
mod functions;
#[allow(missing_docs, non_upper_case_globals)]
mod later;
mod result_names;

pub use bindings::*;
pub use functions::{Rccl, SYMBOLS, signature};
pub use result_names::result_name;
