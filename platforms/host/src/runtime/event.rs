//! Events: markers in a stream that can be waited for and that record the time.

use super::device::{self, Device};
use super::stream::{self, Task, Ticket};
use crate::exports::Host;
use rocm_platform::hip::{Events, HipResult};
use rocm_platform::{Handles, hip_event_exports};
use rocm_sys::hip::{hipError_t, hipEvent_t, hipEventDisableTiming, hipStream_t};
use std::ffi::c_uint;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

/// An event. It marks the position in a stream where it was last recorded.
pub(crate) struct Event {
    device: &'static Device,
    flags: c_uint,
    mark: Mutex<Option<Mark>>,
}

#[derive(Clone)]
struct Mark {
    ticket: Ticket,
    /// Set when the stream reaches the event.
    time: Arc<OnceLock<Instant>>,
}

impl Event {
    fn mark(&self) -> Option<Mark> {
        self.mark.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The position where it was recorded, or `None` if it never was.
    pub(crate) fn ticket(&self) -> Option<Ticket> {
        self.mark().map(|mark| mark.ticket)
    }

    fn record(&self, stream: hipStream_t) -> HipResult {
        let stream = stream::resolve(stream)?;
        if stream.device.ordinal != self.device.ordinal {
            return Err(hipError_t::hipErrorInvalidHandle);
        }
        self.device.check()?;
        let time = Arc::new(OnceLock::new());
        let stamp = time.clone();
        let work = move || {
            let _ = stamp.set(Instant::now());
            Ok(())
        };
        // Locked before it is queued: of two threads that record at once, the later mark wins.
        let mut mark = self.mark.lock().unwrap_or_else(PoisonError::into_inner);
        let ticket = stream.submit(Task::marker("event", Box::new(work)))?;
        *mark = Some(Mark { ticket, time });
        Ok(())
    }
}

impl Mark {
    /// Its time. It is an error if the stream has not reached it.
    fn time(&self) -> HipResult<Instant> {
        if !self.ticket.is_complete() {
            return Err(hipError_t::hipErrorNotReady);
        }
        self.time.get().copied().ok_or(hipError_t::hipErrorNotReady)
    }
}

static EVENTS: Handles<Arc<Event>> = Handles::new(0x4556_0000_0000_0000);

/// The event that a handle stands for.
pub(crate) fn resolve(handle: hipEvent_t) -> HipResult<Arc<Event>> {
    EVENTS.get(handle as usize).ok_or(hipError_t::hipErrorInvalidHandle)
}

/// Invalidates all events of a device, for `hipDeviceReset`.
pub(crate) fn destroy_all(device: &Device) {
    EVENTS.remove_all(|event| event.device.ordinal == device.ordinal);
}

impl Events for Host {
    fn create(flags: c_uint) -> HipResult<hipEvent_t> {
        let device = device::current();
        device.check()?;
        let event = Arc::new(Event { device, flags, mark: Mutex::default() });
        Ok(EVENTS.insert(event) as hipEvent_t)
    }

    unsafe fn destroy(event: hipEvent_t) -> HipResult {
        EVENTS.remove(event as usize).map(|_| ()).ok_or(hipError_t::hipErrorContextIsDestroyed)
    }

    unsafe fn record(event: hipEvent_t, stream: hipStream_t) -> HipResult {
        resolve(event)?.record(stream)
    }

    unsafe fn query(event: hipEvent_t) -> HipResult {
        let event = resolve(event)?;
        event.device.check()?;
        let complete = event.ticket().is_none_or(|ticket| ticket.is_complete());
        if complete { Ok(()) } else { Err(hipError_t::hipErrorNotReady) }
    }

    unsafe fn synchronize(event: hipEvent_t) -> HipResult {
        let event = resolve(event)?;
        stream::may_wait()?;
        if let Some(ticket) = event.ticket() {
            ticket.wait();
        }
        event.device.check()
    }

    unsafe fn elapsed(start: hipEvent_t, stop: hipEvent_t) -> HipResult<f32> {
        let (start, stop) = (resolve(start)?, resolve(stop)?);
        let untimed = (start.flags | stop.flags) & hipEventDisableTiming != 0;
        if start.device.ordinal != stop.device.ordinal || untimed {
            return Err(hipError_t::hipErrorInvalidHandle);
        }
        let (Some(from), Some(to)) = (start.mark(), stop.mark()) else {
            return Err(hipError_t::hipErrorInvalidHandle);
        };
        let (from, to) = (from.time()?, to.time()?);
        let elapsed = match to.checked_duration_since(from) {
            Some(forward) => forward.as_secs_f64(),
            None => -from.duration_since(to).as_secs_f64(),
        };
        Ok((elapsed * 1e3) as f32)
    }
}

hip_event_exports! { Host }
