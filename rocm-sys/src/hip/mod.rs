//! The HIP runtime: devices, memory, streams, events, modules and launches.
//!
//! The types, constants and functions of `hip/hip_runtime_api.h` under their C names, and a few calls that need more than the C
//! function because its meaning depends on the version: [`device_properties`], [`runtime_version`], [`driver_version`].
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
//! # Between versions
//!
//! The bindings are those of ROCm 6.4. Compared with the headers of ROCm 5.2, every function that both have takes the same
//! arguments, device attributes and error codes keep their numbers, and these differ in meaning or layout:
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
#[rustfmt::skip]
#[allow(clippy::too_many_arguments, missing_docs, non_snake_case, rustdoc::all)]
mod functions;
mod properties;
mod status;
mod texts;

pub use bindings::*;
pub use functions::{Hip, SYMBOLS, signature};
pub use properties::{DeviceProperties, device_properties};
pub use status::{CallError, driver_version, error_name, runtime_version};
pub use texts::error_text;

/// The layout since ROCm 6, as the header has it.
#[allow(non_camel_case_types)]
pub type hipDeviceProp_t = hipDeviceProp_tR0600;
