//! AMD GPUs from Rust: a safe layer over HIP. HIP is loaded at run time, so the crate builds anywhere; where it cannot run, the error says
//! what is missing.
//!
//! ```
//! use rocm_hip::{Adapter, LaunchConfig, Linked, Platform, Queue, Runtime};
//!
//! // HIP on the CPU, for machines without an AMD GPU: the crate candle-rocm-host, as a dependency of the program or of its tests.
//! static CPU: Adapter = Adapter::linked(
//!     "host",
//!     Linked { name: "host", symbol: candle_rocm_host::symbol, unavailable: candle_rocm_host::unavailable },
//! );
//! const HOST: Platform = Platform::of(&CPU);
//!
//! # // The CPU platform compiles kernels with the system's C++ compiler: without one, there is nothing to show.
//! # fn main() -> Result<(), rocm_hip::HipError> {
//! #     match example() { Err(rocm_hip::HipError::Compile(error)) => { println!("{error}"); Ok(()) } result => result }
//! # }
//! # fn example() -> Result<(), rocm_hip::HipError> {
//! // On an AMD GPU: Runtime::get(Platform::AMD), and no adapter.
//! let device = Runtime::get(HOST)?.device(0)?;
//! let queue = Queue::new(device)?;
//! let module = device.compile("saxpy", r#"
//!     extern "C" __global__ void saxpy(size_t n, float a, const float *x, float *y) {
//!         for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) y[i] += a * x[i];
//!     }
//! "#)?;
//! let saxpy = module.function("saxpy")?;
//! let x = queue.upload(&[1f32, 2., 3.])?;
//! let mut y = queue.upload(&[10f32, 10., 10.])?;
//! // SAFETY: the arguments are the kernel's parameters, and it stays inside 3 elements.
//! unsafe {
//!     queue.launch(&saxpy).arg(&3usize).arg(&2f32).buffer(&x, 0).buffer_mut(&mut y, 0).run(LaunchConfig::linear(1, 64))?;
//! }
//! assert_eq!(queue.download(&y)?, [12., 14., 16.]);
//! # Ok(())
//! # }
//! ```
//!
//! # What is where
//!
//! | | |
//! |---|---|
//! | [`Platform`], [`Runtime`] | an implementation of HIP's C ABI, and its loaded library |
//! | [`Device`] | a GPU: its properties, the run-time compiler, how long calls may wait |
//! | [`Queue`] | a stream with a memory pool: allocates, copies, launches |
//! | [`Stream`], [`Event`] | work in order, and markers in it |
//! | [`Pool`], [`Buffer`], [`PinnedWords`] | device memory, cached for reuse; host memory that kernels write to |
//! | [`Module`], [`Function`], [`ResidentModule`] | loaded code, and the kernels in it |
//! | [`compile_cached`], [`Cache`], [`kernel_metadata`] | code objects without a device: compiled, kept on disk, described |
//! | [`Launch`], [`LaunchConfig`] | a kernel's arguments, and how many threads run it |
//! | [`trace`] | what happened when, on the host and on the devices |
//! | [`Element`] | types that can live in device memory |
//! | [`HipError`] | everything that can go wrong |
//!
//! Where this crate wraps too little, each type gives access to its raw handle or functions ([`Device::hip`], [`Stream::as_raw`]), and
//! [`Stream::check`] turns their codes into errors.
//!
//! # Platforms
//!
//! [`Platform::AMD`] is ROCm 5.0 or newer on an AMD GPU on Linux, or the HIP runtime of the graphics driver on Windows. Other libraries
//! that provide HIP's functions, such as an emulator on the CPU for tests, are [`Adapter`]s. The crate candle-rocm-host is one; the
//! examples of this documentation call it `HOST`. For programs that use [`Platform::current`], the environment variable
//! `CANDLE_ROCM_PLATFORM` or [`set_default_platform`] chooses one of the [registered](Platform::register) platforms. There is no automatic
//! fallback to another platform. On other operating systems the crate compiles, and opening a device returns an error.
//!
//! # Environment variables
//!
//! Usually none needs to be set: `ROCM_PATH` if ROCm is in an unusual place, `CANDLE_ROCM_CACHE_DIR` for kernels compiled at run time,
//! `CANDLE_ROCM_TRACE` for a [trace]. [`variable::TABLE`] lists them all, and [the book] shows that table.
//!
//! [the book]: https://github.com/candle-rocm/candle-rocm/blob/main/docs/book/src/environment.md
//!
//! # Order, errors, threads
//!
//! Calls return before the GPU is done. Every error names the call that failed, its code and the device. If a kernel fails, a later call
//! reports it, with the names of the kernels that may have caused it. A launch whose arguments do not match the kernel's parameters in
//! number or size is an error. All types can be used from any thread.
//!
//! Waiting can be [limited](Device::set_timeout): a device that does not answer in time is lost, and every later call on it fails at once.
//! So is a device that the system reset, as Windows does when a kernel runs longer than 2 seconds.
//! A forked child cannot use what its parent opened: calls return errors, and drops do nothing. Handles still alive when the process exits
//! are leaked, because the runtime may be gone before them.

#[cfg(not(target_pointer_width = "64"))]
compile_error!("kernels take sizes of 64 bits, so this crate needs a 64-bit target");

mod code;
mod error;
mod hash;
mod interned;
mod launch;
#[doc(hidden)]
pub mod lock;
mod memory;
mod memory_figures;
mod queue;
mod refused;
#[cfg(feature = "rocm-rs")]
pub mod rocm_rs;
mod runtime;
mod stream;
pub mod trace;
#[cfg(windows)]
mod windows;

pub use code::{
    Cache, CompileError, Compiler, KernelMetadata, MetadataError, PRELUDE, Program, Target, cached, compile,
    compile_cached, default_options, is_cached, kernel_metadata, kernel_parameters,
};
pub use error::{DeviceLoss, HipError, Result};
pub use launch::{Function, InfoPtr, Launch, LaunchConfig, Module, ResidentModule};
pub use memory::{Buffer, DevicePtr, Element, Fill, PinnedWords, Pool, PoolStats, UploadStats};
pub use memory_figures::{DeviceMemory, SystemMemory};
pub use queue::Queue;
pub use refused::Refused;
pub use rocm_sys::{variable, warning};
pub use runtime::exit::{Stay, gone, stay, stay_compiling};
pub use runtime::fork::in_child as in_forked_child;
pub use runtime::{Adapter, Device, Linked, PerPlatform, Platform, Runtime, set_default_platform};
pub use stream::{Event, Stream};

/// Runs the README's example.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
