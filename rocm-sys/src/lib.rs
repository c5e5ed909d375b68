//! Raw bindings to AMD's HIP runtime, hiprtc, comgr, rocBLAS, MIOpen and RCCL.
//!
//! Building needs no ROCm, no headers and no libclang: the bindings are generated from ROCm's headers (`cargo xtask bindgen`) and
//! checked in. Libraries are opened at run time, and a missing library or function is an `Err`, never a panic. One binary runs
//! with ROCm 5, 6, 7 and 10, and without ROCm.
//!
//! ```
//! use rocm_sys::hip::{Hip, hipError_t};
//! use rocm_sys::Search;
//!
//! match Hip::open(&Search::from_env()) {
//!     Ok(hip) => {
//!         let mut count = 0;
//!         // SAFETY: `count` is valid for the write.
//!         let status = unsafe { hip.hipGetDeviceCount(&mut count) }?;
//!         if status == hipError_t::hipSuccess {
//!             println!("{count} devices, libraries from {}", hip.library().path().display());
//!         }
//!     }
//!     // Lists every path that was tried and why it could not be used.
//!     Err(error) => println!("{error}"),
//! }
//! # Ok::<(), rocm_sys::MissingSymbol>(())
//! ```
//!
//! # Modules
//!
//! | Module | Library | Feature |
//! |---|---|---|
//! | [`hip`] | libamdhip64: devices, memory, streams, modules, launches | always |
//! | `hiprtc` | libhiprtc: run-time compilation of kernels | `hiprtc` |
//! | `comgr` | libamd_comgr: the compiler below hiprtc | `comgr` |
//! | `rocblas` | librocblas: matrix products | `rocblas` |
//! | `miopen` | libMIOpen: convolutions and other layers | `miopen` |
//! | `rccl` | librccl: collectives between GPUs | `rccl` |
//! | [`extension`] | functions that this project's platforms export in addition to HIP's | always |
//!
//! Each module has the C types and constants under their C names (enums are newtypes with associated constants), a struct with a
//! method for every function ([`hip::Hip`]), the function types ([`hip::signature`]) and the function names ([`hip::SYMBOLS`]).
//! Every method is `unsafe`, like the C function it calls. A safe layer is in the crate `rocm-hip`.
//!
//! # Loaded or linked
//!
//! *Loaded* (the default): [`Hip::open`](hip::Hip::open) looks for the library as [`Search`] describes. Prefer this for programs that
//! you distribute: they start without ROCm, and calling a function that the installed ROCm lacks is an error of that call alone.
//!
//! *Linked* (feature `link`): the linker and the system's loader resolve the functions that the program calls. Prefer this if the
//! program runs on the machine it was built on, or if a package manager must see the dependency. ROCm is needed at link time (it is
//! found as at run time, see [`roots`], or through the linker's own path), the program does not start without it, and every function
//! that it calls must exist in that version. An explicit path ([`Search::at`]) is still loaded.
//!
//! *Provided* ([`Hip::from_resolver`](hip::Hip::from_resolver)): a platform that is compiled into the program supplies the functions.
//! The crate `candle-rocm-platform` helps to write one.

mod api;
#[cfg(feature = "comgr")]
pub mod comgr;
mod dll;
mod elf;
mod error;
pub mod extension;
pub mod hip;
#[cfg(feature = "hiprtc")]
pub mod hiprtc;
mod kind;
mod library;
mod loader;
#[cfg(feature = "miopen")]
pub mod miopen;
mod pe;
#[cfg(feature = "rccl")]
pub mod rccl;
#[cfg(feature = "rocblas")]
pub mod rocblas;
pub mod roots;
mod search;
pub mod variable;
mod version;
pub mod warning;

pub(crate) use api::api;
pub use elf::elf_end;
pub use error::{LoadError, MissingSymbol};
pub use kind::LibraryKind;
pub use library::{Library, Resolver, SYMBOL_LOOKUP, SymbolLookup};
pub use loader::file_of;
pub use pe::FileVersion;
pub use search::{Attempt, SYSTEM_FOLDER, Search};
pub use version::Version;
