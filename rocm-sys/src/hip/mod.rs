//! The HIP runtime: devices, memory, streams, events, modules and launches.
//!
//! The types, constants and functions of `hip/hip_runtime_api.h` under their C names, and wrappers for calls whose meaning depends
//! on the version: [`device_properties`], [`runtime_version`], [`driver_version`].
//!
//! ```
//! use rocm_sys::hip::{Hip, runtime_version};
//! use rocm_sys::Search;
//!
//! if let Ok(hip) = Hip::open(&Search::from_env()) {
//!     println!("HIP {} from {}", runtime_version(&hip)?, hip.library().path().display());
//!     println!("memory pools: {}", if hip.has("hipMallocAsync") { "yes" } else { "no" });
//! }
//! # Ok::<(), rocm_sys::hip::CallError>(())
//! ```
//!
//! # Differences between versions
//!
//! The bindings are those of ROCm 6.4. Functions that already exist in ROCm 5.2 take the same arguments there, and device attributes and
//! error codes have the same numbers. These items differ in meaning or layout:
//!
//! | Item | ROCm 5.2 | Here |
//! |---|---|---|
//! | `hipDeviceProp_t` | `hipDeviceProp_tR0000`, from `hipGetDeviceProperties` | `hipDeviceProp_tR0600`: use [`device_properties`] |
//! | `hipMemoryType` (in pointer attributes) | host 0, device 1 | unregistered 0, host 1, device 2 |
//! | `hipGraphNodeType` | kernel 1, ... | kernel 0, ... |
//! | `HIP_MEMCPY3D`, descriptions of external memory and semaphores | smaller | larger |

#[rustfmt::skip]
#[allow(clippy::all, missing_docs, non_camel_case_types, non_snake_case, non_upper_case_globals, rustdoc::all)]
#[allow(clippy::undocumented_unsafe_blocks, unnecessary_transmutes, unreachable_pub)]
mod bindings;
mod error_strings;
#[rustfmt::skip]
#[allow(clippy::too_many_arguments, missing_docs, non_snake_case, rustdoc::all)]
mod functions;
mod properties;
mod status;

pub use bindings::*;
pub use error_strings::error_text;
pub use functions::{Hip, SYMBOLS, signature};
pub use properties::{DeviceProperties, device_properties};
pub use status::{CallError, driver_version, error_name, runtime_version};

/// The layout since ROCm 6, under the name that the header gives it.
#[allow(non_camel_case_types)]
pub type hipDeviceProp_t = hipDeviceProp_tR0600;
