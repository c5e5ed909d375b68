//! HIP on the CPU: the C interface of `libamdhip64`, hiprtc, rocBLAS, MIOpen and RCCL, without a GPU.
//!
//! Kernels are compiled by the system's C++ compiler and run on all cores with the semantics of a GPU: blocks of threads
//! with barriers, wavefronts of 32 or 64 lanes, shared memory, asynchronous streams. What is wrong on a GPU is meant to be
//! wrong here too, and to be reported.
//!
//! There are two ways to use it:
//! - linked in: resolve functions through [`symbol`], for example with `rocm_sys::hip::Hip::from_resolver`;
//! - as a shared library (feature `export`): open `libcandle_rocm_host.so` as if it were `libamdhip64.so`.
//!
//! On Windows there is no compiler for kernels: it runs those that were compiled on Linux.

#[cfg(supported)]
mod exec;
#[cfg(supported)]
mod exports;
#[cfg(supported)]
mod hiprtc;
#[cfg(supported)]
mod miopen;
#[cfg(supported)]
pub mod processor;
#[cfg(supported)]
mod rccl;
#[cfg(supported)]
mod rocblas;
#[cfg(supported)]
mod runtime;
#[cfg(supported)]
mod sanitizer;
#[cfg(supported)]
mod system;

#[cfg(not(supported))]
mod elsewhere;

#[cfg(not(supported))]
pub use elsewhere::{last_fault, sanitizer_environment, symbol, symbols};
#[cfg(supported)]
pub use exports::{is_runtime_only, symbol, symbols};
#[cfg(supported)]
pub use hiprtc::sanitizer_environment;
#[cfg(supported)]
pub use runtime::device::install;
#[cfg(supported)]
pub use runtime::fault::last_fault;
#[cfg(supported)]
pub use runtime::registry::{Found, Variables, allocation, describe};

/// Why there is no host platform in this build, or `None` where there is one.
pub fn unavailable() -> Option<String> {
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    (!cfg!(supported)).then(|| {
        format!("it runs on Linux and Windows on x86-64 only, and this program was built for {os} on {arch}")
    })
}

/// Runs the README's example.
#[cfg(all(doctest, supported))]
#[doc = include_str!("../README.md")]
struct Readme;
