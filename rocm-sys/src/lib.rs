//! Raw bindings to AMD's HIP runtime, hiprtc, rocBLAS and MIOpen.
//!
//! Building needs no ROCm, no headers and no libclang: the bindings are checked in (made by `cargo xtask bindgen` from ROCm's own
//! headers). Libraries are opened when the program runs, and a missing library or function is an `Err`, never a panic, so one
//! binary serves machines with ROCm 5, 6, 7, 10 or none.
//!
//! ```
//! use rocm_sys::hip::{Hip, hipError_t};
//! use rocm_sys::Search;
//!
//! match Hip::open(&Search::from_env()) {
//!     Ok(hip) => {
//!         let mut count = 0;
//!         // SAFETY: `count` is a valid place for the integer that the call writes.
//!         let status = unsafe { hip.hipGetDeviceCount(&mut count) }?;
//!         if status == hipError_t::hipSuccess {
//!             println!("{count} devices, libraries from {}", hip.library().path().display());
//!         }
//!     }
//!     // Lists every place that was looked at, with the reason it did not serve.
//!     Err(error) => println!("{error}"),
//! }
//! # Ok::<(), rocm_sys::MissingSymbol>(())
//! ```
//!
//! # What is where
//!
//! | Module | Library | Feature |
//! |---|---|---|
//! | [`hip`] | libamdhip64: devices, memory, streams, modules, launches | always |
//! | `hiprtc` | libhiprtc: compiling kernels at run time | `hiprtc` |
//! | `rocblas` | librocblas: matrix products | `rocblas` |
//! | `miopen` | libMIOpen: convolutions and other layers | `miopen` |
//! | [`extension`] | what this project's platforms export beyond HIP | always |
//!
//! Each module has the C types and constants under their C names (enums are newtypes with associated constants), a struct with
//! every function as a method ([`hip::Hip`]), the functions' types ([`hip::signature`]) and their names ([`hip::SYMBOLS`]).
//! Methods are `unsafe` exactly as the C functions are; a safe layer is the crate `rocm-hip`.
//!
//! # Loaded or linked
//!
//! *Loaded* (the default): [`Hip::open`](hip::Hip::open) searches the places that [`Search`] lists. Prefer it for anything that is
//! handed to others: it starts without ROCm, and functions newer than the installed ROCm are errors where they are called.
//!
//! *Linked* (feature `link`): the functions that the program calls are resolved by the linker and the system's loader. Prefer it
//! when the program is built on the machine it runs on, or when the packaging wants to see the dependency. It needs ROCm at link
//! time (found as at run time, see [`roots`], or in the linker's own path), the program does not start without it, and every
//! function called must be in that version. An explicit path ([`Search::at`]) still loads.
//!
//! *Provided* ([`Hip::from_resolver`](hip::Hip::from_resolver)): a platform that is compiled into the program provides each function by
//! name. The crate `candle-rocm-platform` is for those who write one.

mod api;
mod elf;
mod error;
pub mod extension;
pub mod hip;
#[cfg(feature = "hiprtc")]
pub mod hiprtc;
mod library;
mod loader;
#[cfg(feature = "miopen")]
pub mod miopen;
#[cfg(feature = "rocblas")]
pub mod rocblas;
pub mod roots;
mod search;
mod version;

pub(crate) use api::api;
pub use elf::elf_end;
pub use error::{Attempt, LoadError, MissingSymbol};
pub use library::{Library, LibraryKind, Resolver};
pub use loader::file_of;
pub use search::Search;
pub use version::Version;
