//! Filling memory with a value.

use super::fault::Fault;
use super::registry::{self, Place};
use super::stream::{self, Task};
use crate::exports::export;
use rocm_sys::hip::{hipDeviceptr_t, hipError_t, hipStream_t};
use std::ffi::{c_int, c_uchar, c_ushort, c_void};
use std::ptr;

/// A value that memory can be filled with.
trait Pattern: Copy + Send + 'static {
    /// # Safety
    /// `count` values may be written at `to`, which may be unaligned.
    unsafe fn fill(self, to: usize, count: usize);
}

impl Pattern for u8 {
    unsafe fn fill(self, to: usize, count: usize) {
        // SAFETY: the caller's promise.
        unsafe { ptr::write_bytes(to as *mut u8, self, count) };
    }
}

macro_rules! patterns {
    ($($type:ty)+) => {$(
        impl Pattern for $type {
            unsafe fn fill(self, to: usize, count: usize) {
                for i in 0..count {
                    // SAFETY: the caller's promise.
                    unsafe { (to as *mut $type).add(i).write_unaligned(self) };
                }
            }
        }
    )+};
}

patterns! { u16 u32 }

/// Fills `height` rows of `width` values each, `pitch` bytes apart. The caller of a call that is not asynchronous
/// waits if the memory is the host's.
fn fill<P: Pattern>(
    stream: hipStream_t,
    to: *mut c_void,
    value: P,
    (width, height, pitch): (usize, usize, usize),
    asynchronous: bool,
) -> Result<(), hipError_t> {
    let stream = stream::resolve(stream)?;
    stream.device.check()?;
    if width == 0 || height == 0 {
        return Ok(());
    }
    let row = width.checked_mul(size_of::<P>()).ok_or(hipError_t::hipErrorInvalidValue)?;
    let extent = (height - 1).checked_mul(pitch).and_then(|n| n.checked_add(row));
    let extent = extent.ok_or(hipError_t::hipErrorInvalidValue)?;
    let to = to as usize;
    let place = registry::place(to, extent)?;
    if matches!(place, Place::Pageable) {
        return Err(hipError_t::hipErrorInvalidValue);
    }
    let waits = !asynchronous && matches!(place, Place::Pinned);
    if waits {
        stream::may_wait()?;
    }
    let work = move || {
        if registry::place(to, extent) != Ok(place) {
            return Err(Fault::new(
                hipError_t::hipErrorIllegalAddress,
                format!("the memory at {to:#x} was freed before it was filled"),
            ));
        }
        for row in 0..height {
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

/// On the null stream.
fn now<P: Pattern>(to: *mut c_void, value: P, count: usize) -> Result<(), hipError_t> {
    fill(ptr::null_mut(), to, value, (count, 1, 0), false)
}

fn later<P: Pattern>(to: *mut c_void, value: P, count: usize, stream: hipStream_t) -> Result<(), hipError_t> {
    fill(stream, to, value, (count, 1, 0), true)
}

fn check_pitch(width: usize, height: usize, pitch: usize) -> Result<(), hipError_t> {
    let too_narrow = height > 1 && width > pitch;
    if too_narrow { Err(hipError_t::hipErrorInvalidPitchValue) } else { Ok(()) }
}

export! {
    hip => EXPORTS;

    fn hipMemset(to: *mut c_void, value: c_int, size: usize) -> hipError_t {
        now(to, value as u8, size)
    }

    fn hipMemsetAsync(to: *mut c_void, value: c_int, size: usize, stream: hipStream_t) -> hipError_t {
        later(to, value as u8, size, stream)
    }

    fn hipMemsetD8(to: hipDeviceptr_t, value: c_uchar, count: usize) -> hipError_t {
        now(to, value, count)
    }

    fn hipMemsetD8Async(to: hipDeviceptr_t, value: c_uchar, count: usize, stream: hipStream_t) -> hipError_t {
        later(to, value, count, stream)
    }

    fn hipMemsetD16(to: hipDeviceptr_t, value: c_ushort, count: usize) -> hipError_t {
        now(to, value, count)
    }

    fn hipMemsetD16Async(to: hipDeviceptr_t, value: c_ushort, count: usize, stream: hipStream_t) -> hipError_t {
        later(to, value, count, stream)
    }

    fn hipMemsetD32(to: hipDeviceptr_t, value: c_int, count: usize) -> hipError_t {
        now(to, value as u32, count)
    }

    fn hipMemsetD32Async(to: hipDeviceptr_t, value: c_int, count: usize, stream: hipStream_t) -> hipError_t {
        later(to, value as u32, count, stream)
    }

    fn hipMemset2D(to: *mut c_void, pitch: usize, value: c_int, width: usize, height: usize) -> hipError_t {
        check_pitch(width, height, pitch)?;
        fill(ptr::null_mut(), to, value as u8, (width, height, pitch), false)
    }

    fn hipMemset2DAsync(
        to: *mut c_void, pitch: usize, value: c_int, width: usize, height: usize, stream: hipStream_t,
    ) -> hipError_t {
        check_pitch(width, height, pitch)?;
        fill(stream, to, value as u8, (width, height, pitch), true)
    }
}
