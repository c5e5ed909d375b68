//! Handles: a device, a stream on it, and the problems that an algorithm was found for.

use super::images::Problem;
use crate::exports::export;
use crate::runtime::device::{self, Device};
use crate::runtime::stream::{self, Stream, Task};
use rocm_sys::hip::hipStream_t;
use rocm_sys::implement::miopen::{write, write_version};
use rocm_sys::miopen::{miopenAcceleratorQueue_t, miopenHandle_t, miopenStatus_t, status_text};
use std::collections::{HashMap, HashSet};
use std::ffi::c_char;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// What a call needs to know of its handle.
pub(super) struct Handle {
    device: &'static Device,
    stream: usize,
    found: HashSet<Problem>,
}

static HANDLES: LazyLock<Mutex<HashMap<usize, Handle>>> = LazyLock::new(Mutex::default);

impl Handle {
    pub(super) fn with<R>(
        raw: miopenHandle_t,
        f: impl FnOnce(&mut Handle) -> R,
    ) -> Result<R, miopenStatus_t> {
        let mut handles = HANDLES.lock().unwrap_or_else(PoisonError::into_inner);
        handles.get_mut(&(raw as usize)).map(f).ok_or(miopenStatus_t::miopenStatusBadParm)
    }

    /// An algorithm for the problem was found.
    pub(super) fn remember(&mut self, problem: Problem) {
        self.found.insert(problem);
    }

    pub(super) fn knows(&self, problem: &Problem) -> bool {
        self.found.contains(problem)
    }

    /// The stream that work goes to, unless it was destroyed meanwhile.
    fn stream(&self) -> Result<Arc<Stream>, miopenStatus_t> {
        if self.stream == 0 {
            return Ok(self.device.null_stream().clone());
        }
        stream::resolve(self.stream as hipStream_t).map_err(|_| miopenStatus_t::miopenStatusInternalError)
    }

    pub(super) fn submit(&self, task: Task) -> Result<(), miopenStatus_t> {
        let stream = self.stream()?;
        let queued = stream.device.check().and_then(|()| stream.submit(task));
        queued.map(|_| ()).map_err(|_| miopenStatus_t::miopenStatusInternalError)
    }
}

/// # Safety
/// `handle` is null or valid for writing.
unsafe fn create(
    handle: *mut miopenHandle_t,
    stream: miopenAcceleratorQueue_t,
) -> Result<(), miopenStatus_t> {
    static NEXT: AtomicUsize = AtomicUsize::new(0x1000);

    // As where there is no MIOpen, to test what programs do then.
    if std::env::var_os("CANDLE_ROCM_HOST_MIOPEN").is_some_and(|value| value == "off") {
        return Err(miopenStatus_t::miopenStatusNotInitialized);
    }
    check_stream(stream)?;
    let new = Handle { device: device::current(), stream: stream as usize, found: HashSet::new() };
    // Never used again, so that a handle that was destroyed is known as such.
    let raw = NEXT.fetch_add(0x10, Ordering::Relaxed);
    // SAFETY: the caller's promise.
    unsafe { write(handle, raw as miopenHandle_t) }?;
    HANDLES.lock().unwrap_or_else(PoisonError::into_inner).insert(raw, new);
    Ok(())
}

fn check_stream(stream: miopenAcceleratorQueue_t) -> Result<(), miopenStatus_t> {
    if stream.is_null() {
        return Ok(());
    }
    stream::resolve(stream as hipStream_t).map(|_| ()).map_err(|_| miopenStatus_t::miopenStatusBadParm)
}

export! {
    miopen => EXPORTS;

    fn miopenCreate(handle: *mut miopenHandle_t) -> miopenStatus_t {
        // SAFETY: the caller vouches for the pointer.
        unsafe { create(handle, std::ptr::null_mut()) }
    }

    fn miopenCreateWithStream(handle: *mut miopenHandle_t, stream: miopenAcceleratorQueue_t) -> miopenStatus_t {
        // SAFETY: the caller vouches for the pointer.
        unsafe { create(handle, stream) }
    }

    fn miopenDestroy(handle: miopenHandle_t) -> miopenStatus_t {
        let mut handles = HANDLES.lock().unwrap_or_else(PoisonError::into_inner);
        handles.remove(&(handle as usize)).map(|_| ()).ok_or(miopenStatus_t::miopenStatusBadParm)
    }

    fn miopenSetStream(handle: miopenHandle_t, stream: miopenAcceleratorQueue_t) -> miopenStatus_t {
        check_stream(stream)?;
        Handle::with(handle, |handle| handle.stream = stream as usize)
    }

    fn miopenGetStream(handle: miopenHandle_t, stream: *mut miopenAcceleratorQueue_t) -> miopenStatus_t {
        let current = Handle::with(handle, |handle| handle.stream)?;
        // SAFETY: the caller vouches for the pointer.
        unsafe { write(stream, current as miopenAcceleratorQueue_t) }
    }

    /// The version that the bindings are of.
    fn miopenGetVersion(major: *mut usize, minor: *mut usize, patch: *mut usize) -> miopenStatus_t {
        // SAFETY: the caller vouches for the pointers that are there.
        unsafe { write_version(major, minor, patch) };
        Ok(())
    }

    fn miopenGetErrorString(error: miopenStatus_t) -> *const c_char {
        status_text(error).as_ptr()
    }
}
