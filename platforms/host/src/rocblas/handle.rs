//! Handles: a device, a stream on it, and how scalars are passed.

use crate::exports::export;
use crate::runtime::device::{self, Device};
use crate::runtime::stream::{self, Stream};
use rocm_sys::hip::hipStream_t;
use rocm_sys::implement::rocblas::{write, write_version};
use rocm_sys::rocblas::{
    rocblas_atomics_mode, rocblas_atomics_mode_, rocblas_handle, rocblas_math_mode, rocblas_math_mode_,
    rocblas_pointer_mode, rocblas_pointer_mode_, rocblas_status, rocblas_status_, status_text,
};
use std::collections::HashMap;
use std::ffi::{c_char, c_void};
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

/// What a call needs to know of its handle.
#[derive(Clone, Copy)]
pub(super) struct Handle {
    device: &'static Device,
    stream: usize,
    pub(super) scalars: rocblas_pointer_mode,
    atomics: rocblas_atomics_mode,
    math: rocblas_math_mode,
}

static HANDLES: LazyLock<Mutex<HashMap<usize, Handle>>> = LazyLock::new(Mutex::default);

impl Handle {
    pub(super) fn get(raw: rocblas_handle) -> Result<Handle, rocblas_status> {
        Self::with(raw, |handle| *handle)
    }

    fn with<R>(raw: rocblas_handle, f: impl FnOnce(&mut Handle) -> R) -> Result<R, rocblas_status> {
        let mut handles = HANDLES.lock().unwrap_or_else(PoisonError::into_inner);
        handles.get_mut(&(raw as usize)).map(f).ok_or(rocblas_status_::rocblas_status_invalid_handle)
    }

    /// The stream that work goes to, unless it was destroyed meanwhile.
    pub(super) fn stream(&self) -> Result<Arc<Stream>, rocblas_status> {
        if self.stream == 0 {
            return Ok(self.device.null_stream().clone());
        }
        stream::resolve(self.stream as hipStream_t)
            .map_err(|_| rocblas_status_::rocblas_status_internal_error)
    }
}

/// `off`: no handle is made, as if there were no kernels for the device. To test what does without rocBLAS.
const VARIABLE: &str = "CANDLE_ROCM_HOST_ROCBLAS";

const VERSION: &[u8] = b"4.4.1.candle-rocm-host\0";

export! {
    rocblas => EXPORTS;

    fn rocblas_create_handle(out: *mut rocblas_handle) -> rocblas_status {
        // Looks like an address that nobody can have, and is never given out again.
        static NEXT: AtomicUsize = AtomicUsize::new(0x5242_0000_0000_0000);
        if out.is_null() {
            return Err(rocblas_status_::rocblas_status_invalid_handle);
        }
        if std::env::var_os(VARIABLE).is_some_and(|value| value == "off") {
            return Err(rocblas_status_::rocblas_status_arch_mismatch);
        }
        let device = device::current();
        device.check().map_err(|_| rocblas_status_::rocblas_status_internal_error)?;
        let handle = Handle {
            device,
            stream: 0,
            scalars: rocblas_pointer_mode_::rocblas_pointer_mode_host,
            atomics: rocblas_atomics_mode_::rocblas_atomics_allowed,
            math: rocblas_math_mode_::rocblas_default_math,
        };
        let raw = NEXT.fetch_add(16, Ordering::Relaxed);
        HANDLES.lock().unwrap_or_else(PoisonError::into_inner).insert(raw, handle);
        // SAFETY: not null, so the caller vouches for it.
        unsafe { write(out, raw as rocblas_handle) }
    }

    /// What is queued still runs.
    fn rocblas_destroy_handle(handle: rocblas_handle) -> rocblas_status {
        let removed = HANDLES.lock().unwrap_or_else(PoisonError::into_inner).remove(&(handle as usize));
        removed.map(|_| ()).ok_or(rocblas_status_::rocblas_status_invalid_handle)
    }

    fn rocblas_set_stream(handle: rocblas_handle, stream: hipStream_t) -> rocblas_status {
        let device = Handle::get(handle)?.device;
        if !stream.is_null() {
            let known = stream::resolve(stream).map_err(|_| rocblas_status_::rocblas_status_invalid_value)?;
            if !ptr::eq(known.device, device) {
                return Err(rocblas_status_::rocblas_status_invalid_value);
            }
        }
        Handle::with(handle, |handle| handle.stream = stream as usize)
    }

    fn rocblas_get_stream(handle: rocblas_handle, out: *mut hipStream_t) -> rocblas_status {
        let stream = Handle::get(handle)?.stream;
        // SAFETY: the caller's out-parameter.
        unsafe { write(out, stream as hipStream_t) }
    }

    fn rocblas_set_pointer_mode(handle: rocblas_handle, mode: rocblas_pointer_mode) -> rocblas_status {
        let known = [
            rocblas_pointer_mode_::rocblas_pointer_mode_host,
            rocblas_pointer_mode_::rocblas_pointer_mode_device,
        ];
        if !known.contains(&mode) {
            return Err(rocblas_status_::rocblas_status_invalid_value);
        }
        Handle::with(handle, |handle| handle.scalars = mode)
    }

    fn rocblas_get_pointer_mode(handle: rocblas_handle, out: *mut rocblas_pointer_mode) -> rocblas_status {
        let mode = Handle::get(handle)?.scalars;
        // SAFETY: the caller's out-parameter.
        unsafe { write(out, mode) }
    }

    /// Changes nothing: sums are always in the same order here.
    fn rocblas_set_atomics_mode(handle: rocblas_handle, mode: rocblas_atomics_mode) -> rocblas_status {
        let known =
            [rocblas_atomics_mode_::rocblas_atomics_not_allowed, rocblas_atomics_mode_::rocblas_atomics_allowed];
        if !known.contains(&mode) {
            return Err(rocblas_status_::rocblas_status_invalid_value);
        }
        Handle::with(handle, |handle| handle.atomics = mode)
    }

    fn rocblas_get_atomics_mode(handle: rocblas_handle, out: *mut rocblas_atomics_mode) -> rocblas_status {
        let mode = Handle::get(handle)?.atomics;
        // SAFETY: the caller's out-parameter.
        unsafe { write(out, mode) }
    }

    /// Changes nothing: there is no faster and less precise arithmetic here.
    fn rocblas_set_math_mode(handle: rocblas_handle, mode: rocblas_math_mode) -> rocblas_status {
        let known = [rocblas_math_mode_::rocblas_default_math, rocblas_math_mode_::rocblas_xf32_xdl_math_op];
        if !known.contains(&mode) {
            return Err(rocblas_status_::rocblas_status_invalid_value);
        }
        Handle::with(handle, |handle| handle.math = mode)
    }

    fn rocblas_get_math_mode(handle: rocblas_handle, out: *mut rocblas_math_mode) -> rocblas_status {
        let mode = Handle::get(handle)?.math;
        // SAFETY: the caller's out-parameter.
        unsafe { write(out, mode) }
    }

    /// Nothing here needs memory of the device; what the user offers is not used.
    fn rocblas_set_workspace(handle: rocblas_handle, address: *mut c_void, size: usize) -> rocblas_status {
        Handle::get(handle)?;
        if address.is_null() && size > 0 { Err(rocblas_status_::rocblas_status_invalid_pointer) } else { Ok(()) }
    }

    fn rocblas_get_version_string_size(len: *mut usize) -> rocblas_status {
        // SAFETY: the caller's out-parameter.
        unsafe { write(len, VERSION.len()) }
    }

    fn rocblas_get_version_string(buffer: *mut c_char, len: usize) -> rocblas_status {
        // SAFETY: the caller vouches for the buffer.
        unsafe { write_version(buffer, len, VERSION) }
    }

    fn rocblas_status_to_string(status: rocblas_status) -> *const c_char {
        status_text(status).as_ptr()
    }
}
