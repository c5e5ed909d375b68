//! Events: markers in a stream that can be waited for and that record the time.

use super::device;
use crate::exports::Nvidia;
use cudarc::driver::sys::{CUevent, CUstream};
use rocm_platform::hip::event::RELEASE_FLAGS;
use rocm_platform::hip::{Events, HipResult};
use rocm_platform::hip_event_exports;
use rocm_sys::hip::{hipEvent_t, hipStream_t};
use std::ffi::c_uint;
use std::ptr;

impl Events for Nvidia {
    /// CUDA has all flags but those for AMD's caches, by the same numbers.
    fn create(flags: c_uint) -> HipResult<hipEvent_t> {
        let device = device::enter()?;
        let mut event: CUevent = ptr::null_mut();
        // SAFETY: the out-parameter is valid.
        unsafe { device.cuda.cuEventCreate(&mut event, flags & !RELEASE_FLAGS)? };
        Ok(event as hipEvent_t)
    }

    unsafe fn destroy(event: hipEvent_t) -> HipResult {
        let device = device::enter()?;
        // SAFETY: the caller vouches for the handle.
        unsafe { device.cuda.cuEventDestroy_v2(event as CUevent) }
    }

    unsafe fn record(event: hipEvent_t, stream: hipStream_t) -> HipResult {
        let device = device::enter()?;
        // SAFETY: the caller vouches for the handles.
        unsafe { device.cuda.cuEventRecord(event as CUevent, stream as CUstream) }
    }

    unsafe fn query(event: hipEvent_t) -> HipResult {
        let device = device::enter()?;
        // SAFETY: the caller vouches for the handle.
        unsafe { device.cuda.cuEventQuery(event as CUevent) }
    }

    unsafe fn synchronize(event: hipEvent_t) -> HipResult {
        let device = device::enter()?;
        // SAFETY: the caller vouches for the handle.
        unsafe { device.cuda.cuEventSynchronize(event as CUevent) }
    }

    unsafe fn elapsed(start: hipEvent_t, stop: hipEvent_t) -> HipResult<f32> {
        let device = device::enter()?;
        let mut milliseconds = 0.0;
        // SAFETY: the out-parameter is valid; the caller vouches for the handles.
        unsafe {
            device.cuda.cuEventElapsedTime(&mut milliseconds, start as CUevent, stop as CUevent)?;
        }
        Ok(milliseconds)
    }
}

hip_event_exports! { Nvidia }
