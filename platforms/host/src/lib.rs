//! HIP on the CPU: the C interface of `libamdhip64`, hiprtc, rocBLAS and MIOpen, without a GPU.
//!
//! Kernels are compiled by the system's C++ compiler and run on all cores, with the semantics that a GPU gives
//! them: blocks of threads with barriers, wavefronts of 32 or 64 lanes, shared memory, streams that run behind the
//! caller's back. What is wrong on a GPU is meant to be wrong here too, and to be reported.
//!
//! Use it in one of two ways:
//! - linked in: resolve functions through [`symbol`], for example with `rocm_sys::hip::Hip::from_resolver`;
//! - as a shared library (feature `export`): open `libcandle_rocm_host.so` as if it were `libamdhip64.so`.

mod exec;
mod exports;
mod hiprtc;
mod miopen;
mod rocblas;
mod runtime;

pub use exec::sanitizer_environment;
pub use exports::{symbol, symbols};
pub use runtime::fault::last_fault;

/// Runs the README's example.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
