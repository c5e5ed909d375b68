//! Events: marks in a stream that can be waited for and that remember the time.

use super::device::{self, Device};
use super::error::write;
use super::stream::{self, Task, Ticket};
use crate::exports::export;
use rocm_sys::hip::{hipError_t, hipEvent_t, hipStream_t};
use std::collections::HashMap;
use std::ffi::c_uint;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError, RwLock};
use std::time::Instant;

// The flags of hipEventCreateWithFlags.
const DISABLE_TIMING: c_uint = 0x2;
const INTERPROCESS: c_uint = 0x4;
const RELEASE: c_uint = 0x2000_0000 | 0x4000_0000 | 0x8000_0000;
const ALL_FLAGS: c_uint = 0x1 | DISABLE_TIMING | INTERPROCESS | RELEASE;

/// An event. What it marks is the place where it was recorded last.
pub(crate) struct Event {
    device: &'static Device,
    flags: c_uint,
    mark: Mutex<Option<Mark>>,
}

#[derive(Clone)]
struct Mark {
    ticket: Ticket,
    /// Set when the stream gets there.
    time: Arc<OnceLock<Instant>>,
}

impl Event {
    fn mark(&self) -> Option<Mark> {
        self.mark.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The place it was recorded at, or `None` if it never was.
    pub(crate) fn ticket(&self) -> Option<Ticket> {
        self.mark().map(|mark| mark.ticket)
    }

    fn record(&self, stream: hipStream_t) -> Result<(), hipError_t> {
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

    /// The time of the mark: an error if there is none, or if the stream has not got there.
    fn time(&self) -> Result<Instant, hipError_t> {
        let mark = self.mark().ok_or(hipError_t::hipErrorInvalidHandle)?;
        if !mark.ticket.is_complete() {
            return Err(hipError_t::hipErrorNotReady);
        }
        mark.time.get().copied().ok_or(hipError_t::hipErrorNotReady)
    }
}

static HANDLES: LazyLock<RwLock<HashMap<usize, Arc<Event>>>> = LazyLock::new(RwLock::default);

/// # Safety
/// `out` is null or valid for writing.
unsafe fn create(out: *mut hipEvent_t, flags: c_uint) -> Result<(), hipError_t> {
    // Never used again for another event, so that the handle of a destroyed one stays invalid.
    static NEXT: AtomicUsize = AtomicUsize::new(0x4556_0000_0000_0000);
    let two_releases = (flags & RELEASE).count_ones() > 1;
    let timed_between_processes = flags & INTERPROCESS != 0 && flags & DISABLE_TIMING == 0;
    if out.is_null() || flags & !ALL_FLAGS != 0 || two_releases || timed_between_processes {
        return Err(hipError_t::hipErrorInvalidValue);
    }
    let device = device::current();
    device.check()?;
    let handle = NEXT.fetch_add(16, Ordering::Relaxed);
    let event = Arc::new(Event { device, flags, mark: Mutex::default() });
    HANDLES.write().unwrap_or_else(PoisonError::into_inner).insert(handle, event);
    // SAFETY: not null, so the caller vouches for it.
    unsafe { write(out, handle as hipEvent_t) }
}

/// The event that a handle stands for.
pub(crate) fn resolve(handle: hipEvent_t) -> Result<Arc<Event>, hipError_t> {
    let handles = HANDLES.read().unwrap_or_else(PoisonError::into_inner);
    handles.get(&(handle as usize)).cloned().ok_or(hipError_t::hipErrorInvalidHandle)
}

/// Invalidates all events of a device, for `hipDeviceReset`.
pub(crate) fn destroy_all(device: &Device) {
    let mut handles = HANDLES.write().unwrap_or_else(PoisonError::into_inner);
    handles.retain(|_, event| event.device.ordinal != device.ordinal);
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
        if event.is_null() {
            return Err(hipError_t::hipErrorInvalidHandle);
        }
        let removed = HANDLES.write().unwrap_or_else(PoisonError::into_inner).remove(&(event as usize));
        removed.map(|_| ()).ok_or(hipError_t::hipErrorContextIsDestroyed)
    }

    fn hipEventRecord(event: hipEvent_t, stream: hipStream_t) -> hipError_t {
        resolve(event)?.record(stream)
    }

    /// An event that was never recorded is complete.
    fn hipEventQuery(event: hipEvent_t) -> hipError_t {
        let event = resolve(event)?;
        event.device.check()?;
        let complete = event.ticket().is_none_or(|ticket| ticket.is_complete());
        if complete { Ok(()) } else { Err(hipError_t::hipErrorNotReady) }
    }

    fn hipEventSynchronize(event: hipEvent_t) -> hipError_t {
        let event = resolve(event)?;
        stream::may_wait()?;
        if let Some(ticket) = event.ticket() {
            ticket.wait();
        }
        event.device.check()
    }

    fn hipEventElapsedTime(milliseconds: *mut f32, start: hipEvent_t, stop: hipEvent_t) -> hipError_t {
        if milliseconds.is_null() {
            return Err(hipError_t::hipErrorInvalidValue);
        }
        let (start, stop) = (resolve(start)?, resolve(stop)?);
        let untimed = (start.flags | stop.flags) & DISABLE_TIMING != 0;
        if start.device.ordinal != stop.device.ordinal || untimed {
            return Err(hipError_t::hipErrorInvalidHandle);
        }
        let (from, to) = (start.time()?, stop.time()?);
        let elapsed = match to.checked_duration_since(from) {
            Some(forward) => forward.as_secs_f64(),
            None => -from.duration_since(to).as_secs_f64(),
        };
        // SAFETY: the caller's out-parameter.
        unsafe { write(milliseconds, (elapsed * 1e3) as f32) }
    }
}
