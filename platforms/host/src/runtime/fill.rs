//! Filling memory with a value.

use super::registry::{self, MemoryKind};
use super::stream::{self, Task};
use crate::exports::Host;
use crate::processor::Fault;
use crate::sanitizer::order;
use rocm_platform::hip::{Fills, HipResult, Pattern, Rows};
use rocm_platform::hip_fill_exports;
use rocm_sys::hip::{hipError_t, hipStream_t};
use std::ffi::c_void;
use std::ptr;

/// A value that memory can be filled with.
trait Value: Copy + Send + 'static {
    /// # Safety
    /// `count` values may be written at `to`, which may be unaligned.
    unsafe fn fill(self, to: usize, count: usize);
}

impl Value for u8 {
    unsafe fn fill(self, to: usize, count: usize) {
        // SAFETY: the caller's promise.
        unsafe { ptr::write_bytes(to as *mut u8, self, count) };
    }
}

macro_rules! values {
    ($($type:ty)+) => {$(
        impl Value for $type {
            unsafe fn fill(self, to: usize, count: usize) {
                for i in 0..count {
                    // SAFETY: the caller's promise.
                    unsafe { (to as *mut $type).add(i).write_unaligned(self) };
                }
            }
        }
    )+};
}

values! { u16 u32 }

/// Fills `height` rows of `width` values each, `pitch` bytes apart. A call without a stream is for the null stream, and waits if the
/// memory is the host's.
fn fill<V: Value>(
    stream: Option<hipStream_t>,
    to: *mut c_void,
    value: V,
    (width, height, pitch): (usize, usize, usize),
) -> HipResult {
    let asynchronous = stream.is_some();
    let stream = stream::resolve(stream.unwrap_or(ptr::null_mut()))?;
    stream.device.check()?;
    if width == 0 || height == 0 {
        return Ok(());
    }
    let row = width.checked_mul(size_of::<V>()).ok_or(hipError_t::hipErrorInvalidValue)?;
    let extent = (height - 1).checked_mul(pitch).and_then(|n| n.checked_add(row));
    let extent = extent.ok_or(hipError_t::hipErrorInvalidValue)?;
    let to = to as usize;
    let kind = registry::kind(to, extent)?;
    if matches!(kind, MemoryKind::Pageable) {
        return Err(hipError_t::hipErrorInvalidValue);
    }
    let waits = !asynchronous && matches!(kind, MemoryKind::Pinned);
    if waits {
        stream::may_wait()?;
    }
    let work = move || {
        if registry::kind(to, extent) != Ok(kind) {
            return Err(Fault::new(
                hipError_t::hipErrorIllegalAddress,
                format!("the memory at {to:#x} was freed before it was filled"),
            ));
        }
        for row in 0..height {
            order::writes(to + row * pitch, width * size_of::<V>());
            // SAFETY: the registry holds these bytes: checked when the fill was queued, and again just now.
            unsafe { value.fill(to + row * pitch, width) };
        }
        Ok(())
    };
    let ticket = stream.submit(Task::new("fill", Box::new(work)))?;
    if waits {
        ticket.wait();
        stream.device.check()?;
    }
    Ok(())
}

impl Fills for Host {
    unsafe fn fill(to: *mut c_void, value: Pattern, count: usize, stream: Option<hipStream_t>) -> HipResult {
        match value {
            Pattern::U8(value) => fill(stream, to, value, (count, 1, 0)),
            Pattern::U16(value) => fill(stream, to, value, (count, 1, 0)),
            Pattern::U32(value) => fill(stream, to, value, (count, 1, 0)),
        }
    }

    unsafe fn fill_rows(rows: Rows, stream: Option<hipStream_t>) -> HipResult {
        let Rows { to, pitch, value, width, height } = rows;
        fill(stream, to, value, (width, height, pitch))
    }
}

hip_fill_exports! { Host }
