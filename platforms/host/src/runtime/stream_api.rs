//! The C functions of streams.

use super::device;
use super::event;
use super::stream::{self, Task};
use crate::exports::Host;
use crate::processor::Fault;
use rocm_platform::hip::{HipResult, HostFunction, StreamCallback, Streams};
use rocm_platform::hip_stream_exports;
use rocm_sys::hip::{hipError_t, hipEvent_t, hipStream_t, hipStreamCaptureStatus};
use std::ffi::{c_int, c_uint, c_void};

/// Streams of low priority have the larger number. Priorities are stored and have no effect.
const LOW: c_int = 1;
const HIGH: c_int = -1;

/// An address that a callback gets back, on another thread.
struct UserData(*mut c_void);

// SAFETY: never dereferenced here; the user asked for it to be given to a callback on another thread.
unsafe impl Send for UserData {}

impl UserData {
    fn get(&self) -> *mut c_void {
        self.0
    }
}

impl Streams for Host {
    fn create(flags: c_uint, priority: c_int) -> HipResult<hipStream_t> {
        let device = device::current();
        device.check()?;
        Ok(stream::create(device, flags, priority.clamp(HIGH, LOW)) as hipStream_t)
    }

    fn priority_range() -> HipResult<(c_int, c_int)> {
        Ok((LOW, HIGH))
    }

    unsafe fn destroy(stream: hipStream_t) -> HipResult {
        stream::destroy(stream as usize)
    }

    unsafe fn synchronize(stream: hipStream_t) -> HipResult {
        let stream = stream::resolve(stream)?;
        stream::may_wait()?;
        stream.with_followed().iter().for_each(|stream| stream.wait_all());
        stream.device.check()
    }

    unsafe fn query(stream: hipStream_t) -> HipResult {
        let stream = stream::resolve(stream)?;
        stream.device.check()?;
        let idle = stream.with_followed().iter().all(|stream| stream.is_idle());
        if idle { Ok(()) } else { Err(hipError_t::hipErrorNotReady) }
    }

    unsafe fn wait_event(stream: hipStream_t, event: hipEvent_t, _flags: c_uint) -> HipResult {
        let event = event::resolve(event)?;
        let stream = stream::resolve(stream)?;
        stream.device.check()?;
        match event.ticket() {
            Some(ticket) if ticket.counts() && ticket.stream.handle != stream.handle => {
                stream.submit(Task::wait_for(ticket)).map(|_| ())
            }
            _ => Ok(()),
        }
    }

    unsafe fn device(stream: hipStream_t) -> HipResult<usize> {
        Ok(stream::resolve(stream)?.device.ordinal)
    }

    /// Never: this platform does not capture streams.
    unsafe fn capture_status(stream: hipStream_t) -> HipResult<hipStreamCaptureStatus> {
        stream::resolve(stream)?;
        Ok(hipStreamCaptureStatus::hipStreamCaptureStatusNone)
    }

    unsafe fn flags(stream: hipStream_t) -> HipResult<c_uint> {
        Ok(stream::resolve(stream).map_err(|_| hipError_t::hipErrorInvalidHandle)?.flags)
    }

    unsafe fn priority(stream: hipStream_t) -> HipResult<c_int> {
        Ok(stream::resolve(stream).map_err(|_| hipError_t::hipErrorInvalidHandle)?.priority)
    }

    unsafe fn add_callback(stream: hipStream_t, function: StreamCallback, data: *mut c_void) -> HipResult {
        let handle = stream as usize;
        let stream = stream::resolve(stream)?;
        let device = stream.device;
        let data = UserData(data);
        let work = move || -> Result<(), Fault> {
            let status = device.check().err().unwrap_or(hipError_t::hipSuccess);
            // SAFETY: the function and its argument are the user's, who asked for this call.
            unsafe { function(handle as hipStream_t, status, data.get()) };
            Ok(())
        };
        stream.submit(Task::marker("callback", Box::new(work))).map(|_| ())
    }

    unsafe fn launch_host_function(
        stream: hipStream_t,
        function: HostFunction,
        data: *mut c_void,
    ) -> HipResult {
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

hip_stream_exports! { Host }
