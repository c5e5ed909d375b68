//! HIP on the CPU: the C interface of `libamdhip64`, hiprtc, rocBLAS, MIOpen and RCCL, without a GPU.
//!
//! Kernels are compiled by the system's C++ compiler and run on all cores with the semantics of a GPU: blocks of threads
//! with barriers, wavefronts of 32 or 64 lanes, shared memory, asynchronous streams. What is wrong on a GPU is meant to be
//! wrong here too, and to be reported.
//!
//! There are two ways to use it:
//! - linked in: resolve functions through [`symbol`], for example with `rocm_sys::hip::Hip::from_resolver`;
//! - as a shared library (feature `export`): open `libcandle_rocm_host.so` as if it were `libamdhip64.so`.

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod exec;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod exports;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod hiprtc;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod miopen;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub mod processor;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod rccl;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod rocblas;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod runtime;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod sanitizer;

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
mod elsewhere;

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
pub use elsewhere::{last_fault, sanitizer_environment, symbol, symbols};
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub use exports::{is_runtime_only, symbol, symbols};
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub use hiprtc::sanitizer_environment;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub use runtime::device::install;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub use runtime::fault::last_fault;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
pub use runtime::registry::{Found, Variables, allocation, describe};

/// Why there is no host platform in this build, or `None` where there is one.
pub fn unavailable() -> Option<String> {
    let supported = cfg!(all(target_os = "linux", target_arch = "x86_64"));
    let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
    (!supported)
        .then(|| format!("it runs on Linux on x86-64 only, and this program was built for {os} on {arch}"))
}

/// Runs the README's example.
#[cfg(all(doctest, target_os = "linux", target_arch = "x86_64"))]
#[doc = include_str!("../README.md")]
struct Readme;
