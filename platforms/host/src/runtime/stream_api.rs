//! The C functions of streams.

use super::device;
use super::error::write;
use super::event;
use super::fault::Fault;
use super::stream::{self, NON_BLOCKING, Task};
use crate::exports::export;
use rocm_sys::hip::{
    hipDevice_t, hipError_t, hipEvent_t, hipHostFn_t, hipStream_t, hipStreamCallback_t,
    hipStreamCaptureStatus,
};
use std::ffi::{c_int, c_uint, c_void};

/// Streams of low priority have a larger number. Priorities are remembered, and change nothing.
const LOW: c_int = 1;
const HIGH: c_int = -1;

/// # Safety
/// `out` is null or valid for writing.
unsafe fn create(out: *mut hipStream_t, flags: c_uint, priority: c_int) -> Result<(), hipError_t> {
    if out.is_null() || flags & !NON_BLOCKING != 0 {
        return Err(hipError_t::hipErrorInvalidValue);
    }
    let device = device::current();
    device.check()?;
    // SAFETY: not null, so the caller vouches for it.
    unsafe { write(out, stream::create(device, flags, priority.clamp(HIGH, LOW)) as hipStream_t) }
}

/// An address that the user wants handed back in a callback, on another thread.
struct UserData(*mut c_void);

// SAFETY: never dereferenced here; the user asked for it to be given to a callback on another thread.
unsafe impl Send for UserData {}

impl UserData {
    fn get(&self) -> *mut c_void {
        self.0
    }
}

export! {
    hip => EXPORTS;

    fn hipStreamCreate(out: *mut hipStream_t) -> hipError_t {
        // SAFETY: the caller's out-parameter.
        unsafe { create(out, 0, 0) }
    }

    fn hipStreamCreateWithFlags(out: *mut hipStream_t, flags: c_uint) -> hipError_t {
        // SAFETY: the caller's out-parameter.
        unsafe { create(out, flags, 0) }
    }

    fn hipStreamCreateWithPriority(out: *mut hipStream_t, flags: c_uint, priority: c_int) -> hipError_t {
        // SAFETY: the caller's out-parameter.
        unsafe { create(out, flags, priority) }
    }

    fn hipDeviceGetStreamPriorityRange(least: *mut c_int, greatest: *mut c_int) -> hipError_t {
        // SAFETY: the caller's out-parameters, which may be null.
        unsafe {
            if !least.is_null() {
                least.write(LOW);
            }
            if !greatest.is_null() {
                greatest.write(HIGH);
            }
        }
        Ok(())
    }

    /// Invalidates the handle at once; what is queued still runs.
    fn hipStreamDestroy(stream: hipStream_t) -> hipError_t {
        if stream.is_null() || stream::is_special(stream) {
            return Err(hipError_t::hipErrorInvalidHandle);
        }
        stream::destroy(stream as usize)
    }

    fn hipStreamSynchronize(stream: hipStream_t) -> hipError_t {
        let stream = stream::resolve(stream)?;
        stream::may_wait()?;
        stream.with_followed().iter().for_each(|stream| stream.wait_all());
        stream.device.check()
    }

    fn hipStreamQuery(stream: hipStream_t) -> hipError_t {
        let stream = stream::resolve(stream)?;
        stream.device.check()?;
        let idle = stream.with_followed().iter().all(|stream| stream.is_idle());
        if idle { Ok(()) } else { Err(hipError_t::hipErrorNotReady) }
    }

    fn hipStreamWaitEvent(stream: hipStream_t, event: hipEvent_t, flags: c_uint) -> hipError_t {
        if flags > 1 {
            return Err(hipError_t::hipErrorInvalidValue);
        }
        let event = event::resolve(event)?;
        let stream = stream::resolve(stream)?;
        stream.device.check()?;
        match event.ticket() {
            Some(ticket) if !ticket.is_complete() && ticket.stream.handle != stream.handle => {
                stream.submit(Task::wait_for(ticket)).map(|_| ())
            }
            _ => Ok(()),
        }
    }

    fn hipStreamGetDevice(stream: hipStream_t, out: *mut hipDevice_t) -> hipError_t {
        let stream = stream::resolve(stream)?;
        // SAFETY: the caller's out-parameter.
        unsafe { write(out, stream.device.ordinal as hipDevice_t) }
    }

    fn hipGetStreamDeviceId(stream: hipStream_t) -> c_int {
        stream::resolve(stream).map_or(-1, |stream| stream.device.ordinal as c_int)
    }

    /// Never: this platform does not capture streams.
    fn hipStreamIsCapturing(stream: hipStream_t, out: *mut hipStreamCaptureStatus) -> hipError_t {
        stream::resolve(stream)?;
        // SAFETY: the caller's out-parameter.
        unsafe { write(out, hipStreamCaptureStatus::hipStreamCaptureStatusNone) }
    }

    fn hipStreamGetFlags(stream: hipStream_t, out: *mut c_uint) -> hipError_t {
        if stream.is_null() {
            return Err(hipError_t::hipErrorInvalidValue);
        }
        let stream = stream::resolve(stream).map_err(|_| hipError_t::hipErrorInvalidHandle)?;
        // SAFETY: the caller's out-parameter.
        unsafe { write(out, stream.flags) }
    }

    fn hipStreamGetPriority(stream: hipStream_t, out: *mut c_int) -> hipError_t {
        let stream = stream::resolve(stream).map_err(|_| hipError_t::hipErrorInvalidHandle)?;
        // SAFETY: the caller's out-parameter.
        unsafe { write(out, stream.priority) }
    }

    /// Calls a function of the user's once the stream gets there, with the state of the device.
    fn hipStreamAddCallback(
        stream: hipStream_t, callback: hipStreamCallback_t, data: *mut c_void, flags: c_uint,
    ) -> hipError_t {
        let callback = callback.filter(|_| flags == 0).ok_or(hipError_t::hipErrorInvalidValue)?;
        let handle = stream as usize;
        let stream = stream::resolve(stream)?;
        let device = stream.device;
        let data = UserData(data);
        let work = move || -> Result<(), Fault> {
            let status = device.check().err().unwrap_or(hipError_t::hipSuccess);
            // SAFETY: the function and its argument are the user's, who asked for this call.
            unsafe { callback(handle as hipStream_t, status, data.get()) };
            Ok(())
        };
        stream.submit(Task::marker("callback", Box::new(work))).map(|_| ())
    }

    /// Calls a function of the user's once the stream gets there, unless the device has a fault by then.
    fn hipLaunchHostFunc(stream: hipStream_t, function: hipHostFn_t, data: *mut c_void) -> hipError_t {
        let function = function.ok_or(hipError_t::hipErrorInvalidValue)?;
        let stream = stream::resolve(stream)?;
        stream.device.check()?;
        let data = UserData(data);
        let work = move || {
            // SAFETY: the function and its argument are the user's, who asked for this call.
            unsafe { function(data.get()) };
            Ok(())
        };
        stream.submit(Task::new("host function", Box::new(work))).map(|_| ())
    }
}
