//! Events: marks in a stream that can be waited for and that remember the time.

use super::device::{self, Device};
use crate::error::write;
use crate::exports::export;
use cudarc::driver::sys::{CUevent, CUstream};
use rocm_sys::hip::{hipError_t, hipEvent_t, hipStream_t};
use std::ffi::c_uint;
use std::ptr;

// The flags of hipEventCreateWithFlags. The low ones are CUDA's, the others say how AMD's caches are flushed.
const DISABLE_TIMING: c_uint = 0x2;
const INTERPROCESS: c_uint = 0x4;
const CUDA_FLAGS: c_uint = 0x1 | DISABLE_TIMING | INTERPROCESS;
const RELEASE: c_uint = 0x2000_0000 | 0x4000_0000 | 0x8000_0000;

/// # Safety
/// `out` is null or valid for writing.
unsafe fn create(out: *mut hipEvent_t, flags: c_uint) -> Result<(), hipError_t> {
    let two_releases = (flags & RELEASE).count_ones() > 1;
    let timed_between_processes = flags & INTERPROCESS != 0 && flags & DISABLE_TIMING == 0;
    if out.is_null() || flags & !(CUDA_FLAGS | RELEASE) != 0 || two_releases || timed_between_processes {
        return Err(hipError_t::hipErrorInvalidValue);
    }
    let device = device::enter()?;
    let mut event: CUevent = ptr::null_mut();
    // SAFETY: the first out-parameter is valid, the second one the caller's.
    unsafe {
        device.cuda.cuEventCreate(&mut event, flags & CUDA_FLAGS)?;
        write(out, event as hipEvent_t)
    }
}

/// The event behind a handle that is not null, with the thread's context entered.
pub(super) fn resolve(event: hipEvent_t) -> Result<(&'static Device, CUevent), hipError_t> {
    if event.is_null() {
        return Err(hipError_t::hipErrorInvalidHandle);
    }
    Ok((device::enter()?, event as CUevent))
}

export! {
    hip => EXPORTS;

    fn hipEventCreate(out: *mut hipEvent_t) -> hipError_t {
        // SAFETY: the caller's out-parameter.
        unsafe { create(out, 0) }
    }

    fn hipEventCreateWithFlags(out: *mut hipEvent_t, flags: c_uint) -> hipError_t {
        // SAFETY: the caller's out-parameter.
        unsafe { create(out, flags) }
    }

    fn hipEventDestroy(event: hipEvent_t) -> hipError_t {
        let (device, event) = resolve(event)?;
        // SAFETY: the caller vouches for the handle.
        unsafe { device.cuda.cuEventDestroy_v2(event) }
    }

    fn hipEventRecord(event: hipEvent_t, stream: hipStream_t) -> hipError_t {
        let (device, event) = resolve(event)?;
        // SAFETY: the caller vouches for the handles.
        unsafe { device.cuda.cuEventRecord(event, stream as CUstream) }
    }

    /// An event that was never recorded is complete.
    fn hipEventQuery(event: hipEvent_t) -> hipError_t {
        let (device, event) = resolve(event)?;
        // SAFETY: the caller vouches for the handle.
        unsafe { device.cuda.cuEventQuery(event) }
    }

    fn hipEventSynchronize(event: hipEvent_t) -> hipError_t {
        let (device, event) = resolve(event)?;
        // SAFETY: the caller vouches for the handle.
        unsafe { device.cuda.cuEventSynchronize(event) }
    }

    fn hipEventElapsedTime(milliseconds: *mut f32, start: hipEvent_t, stop: hipEvent_t) -> hipError_t {
        if milliseconds.is_null() {
            return Err(hipError_t::hipErrorInvalidValue);
        }
        let (device, start) = resolve(start)?;
        let (_, stop) = resolve(stop)?;
        // SAFETY: the out-parameter is not null; the caller vouches for it and for the handles.
        unsafe { device.cuda.cuEventElapsedTime(milliseconds, start, stop) }
    }
}
