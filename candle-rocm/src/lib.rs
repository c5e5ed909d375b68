//! AMD GPUs for the machine-learning framework [candle](https://docs.rs/candle-core).
//!
//! [`RocmDevice`] and [`RocmStorage`] implement candle's `BackendDevice` and `BackendStorage` on top of HIP. ROCm is loaded at run time, so
//! this crate builds anywhere; where it cannot run, the error says what is missing.
//!
//! Programs use it through candle's `Tensor`: `Device::new_rocm(0)` and [two patches](https://github.com/candle-rocm/candle-rocm#use-it-in-a-program).
//! Without `Tensor`, a device uploads data, launches your own kernels, and downloads results:
//!
//! ```
//! use candle_rocm::{RocmDevice, hip::LaunchConfig, platform::HOST};
//!
//! # // The CPU platform compiles kernels with the system's C++ compiler: without one, there is nothing to show.
//! # fn main() -> candle_rocm::Result<()> {
//! #     use candle_rocm::{RocmError, hip::HipError};
//! #     match example() { Err(RocmError::Hip(HipError::Compile(error))) => { println!("{error}"); Ok(()) } result => result }
//! # }
//! # fn example() -> candle_rocm::Result<()> {
//! // On an AMD card: RocmDevice::new(0)?. This one is the CPU, with feature `host`.
//! let device = RocmDevice::on(HOST, 0)?;
//! let module = device.compile("saxpy", r#"
//!     extern "C" __global__ void saxpy(size_t n, float a, const float *x, float *y) {
//!         for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) y[i] += a * x[i];
//!     }
//! "#)?;
//! let saxpy = module.function("saxpy")?;
//! let x = device.upload(&[1f32, 2., 3.])?;
//! let mut y = device.upload(&[10f32, 10., 10.])?;
//! // SAFETY: the arguments are the kernel's parameters, and it stays inside 3 elements.
//! unsafe {
//!     device.launch_function(&saxpy).arg(&3usize).arg(&2f32).buffer(&x, 0).buffer_mut(&mut y, 0).run(LaunchConfig::linear(1, 64))?;
//! }
//! assert_eq!(device.download(&y)?, [12., 14., 16.]);
//! # Ok(())
//! # }
//! ```
//!
//! candle's operations are methods of its traits, on storages:
//!
//! ```
//! use candle_core::backend::{BackendDevice, BackendStorage};
//! use candle_core::{Layout, Shape};
//! use candle_rocm::{RocmDevice, platform::HOST};
//!
//! # // The CPU platform compiles kernels with the system's C++ compiler: without one, there is nothing to show.
//! # fn main() -> candle_core::Result<()> {
//! #     match example() {
//! #         Err(error) if matches!(candle_rocm::RocmError::of(&error), Some(candle_rocm::RocmError::Kernel(_))) => {
//! #             println!("{error}");
//! #             Ok(())
//! #         }
//! #         result => result,
//! #     }
//! # }
//! # fn example() -> candle_core::Result<()> {
//! let device = RocmDevice::on(HOST, 0)?;
//! let layout = Layout::contiguous(Shape::from((2, 2)));
//! let x = device.storage_from_slice(&[1f32, 2., 3., 4.])?;
//! let y = x.affine(&layout, 10., 1.)?;
//! assert!(matches!(y.to_cpu_storage()?, candle_core::CpuStorage::F32(values) if values == [11., 21., 31., 41.]));
//! # Ok(())
//! # }
//! ```
//!
//! # What is where
//!
//! | | |
//! |---|---|
//! | [`RocmDevice`] | a GPU with a stream, a memory pool and a random number generator; copies, launches, your own kernels |
//! | [`RocmStorage`] | a tensor's memory, and candle's operations on it |
//! | [`Convolution`], [`ConvEngine`] | convolutions with groups, and their implementations |
//! | [`nn`] | softmax, norms, rotary embeddings, attention, mixtures of experts: the operations for which candle-nn has its own kernels |
//! | [`products`] | products of a few rows with several matrices in one launch, optionally after a norm, with biases and activations |
//! | [`quantized`] | GGML's quantized weights, and products with them |
//! | [`model_file`] | GGUF and GGML files, checked before candle reads them |
//! | [`hip`] | the underlying crate rocm-hip, independent of candle: devices, streams, events, buffers, modules |
//! | [`kernels`] | the underlying crate candle-rocm-kernels: the built-in kernels, and where their code objects come from |
//! | [`platform`] | the implementations of HIP: AMD's, and three that stand in for it |
//! | [`doctor()`] | a report on a machine: platform, libraries, devices, and whether they compute correctly |
//! | [`Tuning`] | picks the fastest kernel or library by measuring on the card |
//! | [`RocmError`] | everything that can go wrong; [`RocmError::of`] finds it inside a [`candle_core::Error`] |
//!
//! # Platforms
//!
//! The environment variable `CANDLE_ROCM_PLATFORM`, or [`hip::set_default_platform`], chooses the implementation of HIP:
//!
//! | Value | Platform |
//! |---|---|
//! | `auto`, `amd` | ROCm 5.0 or newer on an AMD GPU on Linux, or the HIP runtime of the graphics driver on Windows (the default) |
//! | `host` | the CPU (Linux on x86-64), for tests: linked in with feature `host`, else `CANDLE_ROCM_HOST_LIBRARY` names the library |
//! | `gfx` | the machine code of AMD GPUs, executed on the CPU, to verify kernels without a card: linked in with feature `gfx`, else `CANDLE_ROCM_GFX_LIBRARY` names the library |
//! | `nvidia` | NVIDIA cards, for measurements: linked in with feature `nvidia`, else `CANDLE_ROCM_NVIDIA_LIBRARY` names the library |
//!
//! There is no automatic fallback to another platform. On other operating systems the crate compiles, and opening a device returns an
//! error.
//!
//! # Environment variables
//!
//! Usually none needs to be set. [`hip::variable::TABLE`] lists them all, and [the book] shows that table.
//!
//! [the book]: https://github.com/candle-rocm/candle-rocm/blob/main/docs/book/src/environment.md
//!
//! # Order, errors, threads
//!
//! All work of a [`RocmDevice`] and its clones runs on one stream, in the order of the calls, which any thread may make. Calls return
//! before the GPU is done. If a kernel fails, a later call reports it, with the names of the kernels launched since the last
//! synchronization. A launch whose arguments do not match the kernel's parameters in number or size is an error. Waiting for a kernel that
//! never ends hangs, unless you set a [timeout](RocmDevice::set_timeout).
//!
//! A forked child cannot use a device that its parent opened: every call returns an error that says so.

#[cfg(not(target_pointer_width = "64"))]
compile_error!("kernels take sizes of 64 bits, so this crate needs a 64-bit target");

mod attention;
mod backend_device;
mod backend_storage;
mod block_type;
mod common;
mod conv;
mod count;
mod device;
mod doctor;
mod dtype;
mod elementwise;
mod error;
mod fusion;
mod indexing;
mod layout;
mod lock;
mod matmul;
pub mod model_file;
pub mod nn;
pub mod platform;
pub mod products;
pub mod quantized;
mod random;
mod reduce;
#[cfg(candle_rocm_seam)]
mod seam;
mod storage;
mod storage_slice;
mod tuning;

/// candle's type, which is that of another version of its crate in candle 0.9.
#[cfg(candle_rocm_seam)]
pub(crate) use candle_core::rocm::F8E4M3;
#[cfg(not(candle_rocm_seam))]
pub(crate) use float8::F8E4M3;

pub use conv::{ConvEngine, Convolution};
pub use device::{Counters, Declined, OperationCounters, RocmDevice};
pub use doctor::doctor;
pub use error::{Result, RocmError};
#[doc(hidden)] // for `cargo xtask fused-kernels`
pub use fusion::fused_source;
pub use fusion::{ExternalOp, Fusion};
pub use matmul::GemmEngine;
pub use rocm_hip as hip;
pub use rocm_hip::{Element, InfoPtr};
pub use rocm_kernels as kernels;
#[cfg(candle_rocm_seam)]
pub use seam::{register, tensor_from_buffer, tensor_into_buffer};
pub use storage::RocmStorage;
pub use storage_slice::{RocmDType, RocmStorageSlice};
#[doc(hidden)] // for `cargo xtask predict --choices`
pub use tuning::Contest;
pub use tuning::{Tuning, TuningReport};

/// All that is decided by measurement.
static DECISIONS: [&tuning::Decision; 7] = [
    &matmul::candidates::DECISION,
    &quantized::candidates::DECISION,
    &quantized::expert_candidates::DECISION,
    &attention::candidates::DECISION,
    &reduce::candidates::DECISION,
    &conv::candidates::DECISION,
    &layout::candidates::DECISION,
];

/// Fused launches, as fusion makes them. For the tests of this crate; not part of its public interface.
#[doc(hidden)]
pub mod joined {
    pub use crate::attention::sdpa_of_f8;
    pub use crate::nn::decoder_step::DecoderStep;
    pub use crate::nn::group_norm::{Wanted, group_norm_with};
    pub use crate::nn::rotary::{Arrangement, rotary_pair};
}

/// A kernel launch under construction: see [`hip::Launch`].
pub type Launch<'a> = hip::Launch<'a, RocmError>;
