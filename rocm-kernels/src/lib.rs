//! HIP kernels for candle on AMD GPUs: their sources, and the code objects that a card can load.
//!
//! A [`Module`] is one `.hip` file below `hip/`, and [`ALL`] the table of them. [`code_object`] turns a module into bytes for
//! `hipModuleLoadData`, looking in this order:
//!
//! 1. built in for the card's exact processor (the features `rdna` and `cdna` take in what releases were compiled for),
//! 2. built in for a generic target that covers it (`gfx11-generic`; the card's runtime must be ROCm 6.3 or newer),
//! 3. the [`Cache`] on disk,
//! 4. compiled now from the embedded source by a [`Compiler`] (hiprtc), and cached.
//!
//! [`prepare`] compiles several modules at once, before they are needed one by one; [`prepare_in_background`] does so while others
//! are used.
//!
//! If all of them fail, the error names the card's processor, the processors that are built in, and the command to build for
//! this one.
//!
//! ```
//! use rocm_kernels::{Cache, KernelError, Target};
//!
//! // A card without built-in code objects, on a machine without hiprtc.
//! let card = Target::new("gfx1103", 32);
//! match rocm_kernels::code_object(&rocm_kernels::AFFINE, &card, None, &Cache::disabled()) {
//!     Ok(code) => println!("{} bytes for hipModuleLoadData", code.len()),
//!     Err(error @ KernelError::NoCodeObject { .. }) => println!("{error}"),
//!     Err(error) => return Err(error),
//! }
//! # Ok::<(), KernelError>(())
//! ```

mod bundle;
pub mod cards;
mod error;
mod fused;
mod lookup;
mod messages;
mod module;
mod modules;
mod prebuilt;
mod prepare;
mod processors;
mod rates;
mod target;
#[cfg(feature = "toolchain")]
pub mod toolchain;

#[doc(hidden)] // for `cargo xtask build-kernels`
pub use bundle::pack;
pub use error::KernelError;
pub use fused::FUSED;
#[doc(hidden)]
pub use fused::fused_name;
pub use lookup::{code_object, is_built_in, is_ready};
pub use module::{Bound, HEADERS, Module};
pub use modules::*;
pub use prebuilt::prebuilt_archs;
pub use prepare::{LANGUAGE_MODELS, QUANTIZED_LANGUAGE_MODELS, prepare, prepare_in_background};
pub use processors::{FAMILIES, MatrixCores, PROCESSORS, Processor, Registers};
pub use rates::Rates;
pub use rocm_hip::{Cache, CompileError, Compiler, Target};
pub use target::{default_target, generic_target};
