//! Exchanges memory and streams with the crate [rocm-rs](https://docs.rs/rocm-rs) 0.5, without copies (feature `rocm-rs`).
//!
//! rocm-rs wraps libraries that this project does not: rocFFT, rocRAND, rocSPARSE, rocSOLVER. Code written for its types can use memory of
//! this crate, and kernels of this crate can use its memory.
//!
//! | From | To | Function | Freed by |
//! |---|---|---|---|
//! | [`Buffer`] | `&DeviceMemory` | [`Buffer::as_rocm_rs`] | the buffer, which is borrowed |
//! | [`Buffer`] | `&mut DeviceMemory` | [`Buffer::as_rocm_rs_mut`] | the buffer, which is borrowed |
//! | `DeviceMemory` | [`Buffer`] | [`Buffer::from_rocm_rs`] | the buffer, as rocm-rs would |
//! | that [`Buffer`] | `DeviceMemory` | [`Buffer::into_rocm_rs`] | the `DeviceMemory` |
//! | [`Stream`] | `&Stream` of rocm-rs | [`Stream::as_rocm_rs`] | the stream, which is borrowed |
//! | `Stream` of rocm-rs | [`Stream`] | [`Stream::from_rocm_rs`] | the stream, as rocm-rs would |
//! | that [`Stream`] | `Stream` of rocm-rs | [`Stream::into_rocm_rs`] | rocm-rs's stream |
//!
//! # One library
//!
//! rocm-rs links to libamdhip64, and this crate opens it on first use. Both must use the same file, because two copies of HIP know nothing
//! of each other's memory. Every function here checks that and returns [`HipError::OtherLibrary`] if it is not so.
//!
//! # Order
//!
//! Streams of this crate do not wait for HIP's default stream, which rocm-rs uses unless told otherwise. So memory that changes hands is
//! ordered by an event: before memory is lent, the default stream waits for the pool's stream; when it is returned or taken over, the
//! pool's stream waits for the default stream. Streams that rocm-rs creates without flags synchronize with the default stream, and [a lent
//! stream](Stream::as_rocm_rs) is this crate's own, so neither needs more. Streams created with `NON_BLOCKING` must be synchronized before
//! and after.
//!
//! # Current device
//!
//! rocm-rs allocates on the thread's current device. [`Device::bind`] makes a device of this crate the current one. After calling rocm-rs's
//! `Device::set_current`, call [`Device::forget_current`]; the functions here do so themselves.

mod default_stream;
mod layout;
mod library;
mod memory;
mod stream;

pub use memory::{MemoryMut, MemoryRef};
pub use stream::StreamRef;

#[cfg(doc)]
use crate::{Buffer, Device, HipError, Stream};
