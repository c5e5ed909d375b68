//! HIP kernels for candle on AMD GPUs: their sources, and the code objects that a card can load.
//!
//! A [`Module`] is one `.hip` file below `hip/`, and [`ALL`] is the table of them. [`code_object`] turns a module into bytes for
//! `hipModuleLoadData`. It uses the first of these that is available:
//!
//! 1. a code object built in for the card's exact processor (the features `rdna` and `cdna` build in those that releases contain),
//! 2. one built in for a generic target that covers it (`gfx11-generic`; requires a runtime of ROCm 6.3 or newer),
//! 3. one in the [`Cache`] on disk,
//! 4. one compiled now from the embedded source by a [`Compiler`] (hiprtc or comgr), which is then cached.
//!
//! [`prepare`] compiles several modules at once, before they are needed. [`prepare_in_background`] does so while others are in use.
//!
//! If none is available, the error names the card's processor, the processors that are built in, and the command to build for this one.
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
pub use rocm_hip::{Cache, CompileError, Compiler, Program, Target};
pub use target::{default_target, generic_target};
