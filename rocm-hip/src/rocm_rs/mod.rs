//! Memory and streams exchanged with the crate [rocm-rs](https://docs.rs/rocm-rs) 0.5, without a copy (feature `rocm-rs`).
//!
//! rocm-rs wraps libraries that this project does not: rocFFT, rocRAND, rocSPARSE, rocSOLVER. Code written for its types works on
//! the memory of this crate, and this crate's kernels work on its memory.
//!
//! | From | To | By | Who frees it |
//! |---|---|---|---|
//! | [`Buffer`] | `&DeviceMemory` | [`Buffer::as_rocm_rs`] | the buffer: it is borrowed |
//! | [`Buffer`] | `&mut DeviceMemory` | [`Buffer::as_rocm_rs_mut`] | the buffer: it is borrowed |
//! | `DeviceMemory` | [`Buffer`] | [`Buffer::from_rocm_rs`] | the buffer, as rocm-rs would |
//! | [`Buffer`] made so | `DeviceMemory` | [`Buffer::into_rocm_rs`] | the `DeviceMemory` |
//! | [`Stream`] | `&Stream` of rocm-rs | [`Stream::as_rocm_rs`] | the stream: it is borrowed |
//! | `Stream` of rocm-rs | [`Stream`] | [`Stream::from_rocm_rs`] | the stream, as rocm-rs would |
//! | [`Stream`] made so | `Stream` of rocm-rs | [`Stream::into_rocm_rs`] | rocm-rs's stream |
//!
//! # One library
//!
//! rocm-rs links libamdhip64, and this crate opens it when it is first used. Both must be the same file: two copies of HIP know
//! nothing of each other's memory. Every function here checks that, and returns [`HipError::OtherLibrary`] where it is not so.
//!
//! # Order
//!
//! Streams of this crate do not wait for HIP's default stream, on which rocm-rs works unless it is told another. So memory that
//! changes hands brings an event along: the default stream waits for what the pool's stream was given before memory is lent, and
//! the pool's stream waits for the default stream when it comes back or is taken over. Streams that rocm-rs makes without flags
//! keep step with the default stream, and [a lent stream](Stream::as_rocm_rs) is the pool's own, so neither needs more. Around
//! work on streams that are made with `NON_BLOCKING`, synchronize them.
//!
//! # Current device
//!
//! rocm-rs allocates on the thread's current device. [`Device::bind`] makes a device of this crate the current one. After calls
//! of rocm-rs's `Device::set_current`, call [`Device::forget_current`], which the functions here do themselves.

mod default_stream;
mod layout;
mod library;
mod memory;
mod stream;

pub use memory::{MemoryMut, MemoryRef};
pub use stream::StreamRef;

#[cfg(doc)]
use crate::{Buffer, Device, HipError, Stream};
