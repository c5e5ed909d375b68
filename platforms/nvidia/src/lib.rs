//! HIP on NVIDIA cards: the C interface of `libamdhip64`, hiprtc, rocBLAS, MIOpen and RCCL over the CUDA driver, NVRTC, cuBLAS,
//! cuDNN and NCCL.
//!
//! For measuring and developing on the GPU at hand: the same binary that runs on AMD cards runs here, with warps as wavefronts
//! of 32. Building needs no CUDA; the driver, NVRTC, cuBLAS, cuDNN and NCCL are opened when they are first needed. Where
//! they are missing, functions return `hipErrorNoDevice`, programs fail to compile with a log that says what to install, no
//! handle of rocBLAS or MIOpen and no communicator of RCCL is made, and [`unavailable`] says why.
//!
//! There are two ways to use it:
//! - linked in: resolve functions through [`symbol`], for example with `rocm_sys::hip::Hip::from_resolver`;
//! - as a shared library (feature `export`): open `libcandle_rocm_nvidia.so` as if it were `libamdhip64.so`.
//!
//! # Library search
//!
//! In this order: the files and folders in `CANDLE_ROCM_CUDA_PATH` (separated by colons); the loader's path
//! (`LD_LIBRARY_PATH`); `CUDA_PATH` and `CUDA_HOME`; the packages `nvidia-*` of the active Python environment and of the
//! Pythons in `PATH`; /usr/local/cuda*. Versioned names are tried too, the driver's own major version first.
//!
//! # What differs from AMD
//!
//! - `gcnArchName` is `sm_90` for compute capability 9.0, and code objects are cubins, PTX (as a C string) or fat binaries.
//! - Dynamic shared memory beyond 48 KiB needs no attribute: a launch raises the kernel's limit itself.
//! - After a fault, such as an illegal address, `hipDeviceReset` may not help: most drivers require a new process.
//! - CUDA errors without a HIP code become the nearest one, and their own name is printed to stderr once.

#[cfg(target_os = "linux")]
mod error;
#[cfg(target_os = "linux")]
mod exports;
#[cfg(target_os = "linux")]
mod hip;
#[cfg(target_os = "linux")]
mod hiprtc;
#[cfg(target_os = "linux")]
mod library;
#[cfg(target_os = "linux")]
mod miopen;
#[cfg(target_os = "linux")]
mod rccl;
#[cfg(target_os = "linux")]
mod rocblas;

#[cfg(not(target_os = "linux"))]
mod elsewhere;

#[cfg(not(target_os = "linux"))]
pub use elsewhere::{symbol, symbols, unavailable};
#[cfg(target_os = "linux")]
pub use exports::{symbol, symbols};
#[cfg(target_os = "linux")]
pub use hip::unavailable;
