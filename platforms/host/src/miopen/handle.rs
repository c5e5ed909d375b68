//! Handles: a device, a stream on it, and the problems for which an algorithm has been found.

use super::images::Problem;
use crate::exports::Host;
use crate::runtime::device::{self, Device};
use crate::runtime::stream::{self, Stream, Task};
use rocm_platform::miopen::{Handles, MiopenResult};
use rocm_platform::miopen_handle_exports;
use rocm_sys::hip::hipStream_t;
use rocm_sys::miopen::{miopenAcceleratorQueue_t, miopenHandle_t, miopenStatus_t};
use rocm_sys::variable;
use std::collections::HashSet;
use std::sync::Arc;

/// What a call needs to know of its handle.
pub(super) struct Handle {
    device: &'static Device,
    stream: usize,
    found: HashSet<Problem>,
}

static HANDLES: rocm_platform::Handles<Handle> = rocm_platform::Handles::new(0x4d48_0000_0000_0000);

impl Handle {
    pub(super) fn with<R>(handle: miopenHandle_t, f: impl FnOnce(&mut Self) -> R) -> MiopenResult<R> {
        HANDLES.with(handle as usize, f).ok_or(miopenStatus_t::miopenStatusBadParm)
    }

    /// An algorithm for the problem was found.
    pub(super) fn remember(&mut self, problem: Problem) {
        self.found.insert(problem);
    }

    pub(super) fn knows(&self, problem: &Problem) -> bool {
        self.found.contains(problem)
    }

    /// The stream that work goes to, unless it has been destroyed.
    fn stream(&self) -> MiopenResult<Arc<Stream>> {
        if self.stream == 0 {
            return Ok(self.device.null_stream().clone());
        }
        stream::resolve(self.stream as hipStream_t).map_err(|_| miopenStatus_t::miopenStatusInternalError)
    }

    pub(super) fn submit(&self, task: Task) -> MiopenResult {
        let stream = self.stream()?;
        let queued = stream.device.check().and_then(|()| stream.submit(task));
        queued.map(|_| ()).map_err(|_| miopenStatus_t::miopenStatusInternalError)
    }
}

fn check_stream(stream: miopenAcceleratorQueue_t) -> MiopenResult {
    if stream.is_null() {
        return Ok(());
    }
    stream::resolve(stream as hipStream_t).map(|_| ()).map_err(|_| miopenStatus_t::miopenStatusBadParm)
}

impl Handles for Host {
    unsafe fn create(stream: miopenAcceleratorQueue_t) -> MiopenResult<miopenHandle_t> {
        // Behaves as if MIOpen were not installed, for tests.
        if variable::switch("CANDLE_ROCM_HOST_MIOPEN") == Some(false) {
            return Err(miopenStatus_t::miopenStatusNotInitialized);
        }
        check_stream(stream)?;
        let handle = Handle { device: device::current(), stream: stream as usize, found: HashSet::new() };
        Ok(HANDLES.insert(handle) as miopenHandle_t)
    }

    unsafe fn destroy(handle: miopenHandle_t) -> MiopenResult {
        HANDLES.remove(handle as usize).map(|_| ()).ok_or(miopenStatus_t::miopenStatusBadParm)
    }

    unsafe fn set_stream(handle: miopenHandle_t, stream: miopenAcceleratorQueue_t) -> MiopenResult {
        check_stream(stream)?;
        Handle::with(handle, |handle| handle.stream = stream as usize)
    }

    unsafe fn stream(handle: miopenHandle_t) -> MiopenResult<miopenAcceleratorQueue_t> {
        Handle::with(handle, |handle| handle.stream as miopenAcceleratorQueue_t)
    }
}

miopen_handle_exports! { Host }
