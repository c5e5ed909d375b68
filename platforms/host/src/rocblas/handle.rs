//! Handles: a device, a stream on it, and how scalars are passed.

use crate::exports::Host;
use crate::runtime::device::{self, Device};
use crate::runtime::stream::{self, Stream};
use rocm_platform::rocblas::{Handles, RocblasResult};
use rocm_platform::rocblas_handle_exports;
use rocm_sys::hip::hipStream_t;
use rocm_sys::rocblas::{
    rocblas_atomics_mode, rocblas_atomics_mode_, rocblas_handle, rocblas_math_mode, rocblas_math_mode_,
    rocblas_pointer_mode, rocblas_pointer_mode_, rocblas_status_,
};
use rocm_sys::variable;
use std::ffi::{CStr, c_void};
use std::ptr;
use std::sync::Arc;

/// What a call needs to know of its handle.
#[derive(Clone, Copy)]
pub(super) struct Handle {
    device: &'static Device,
    stream: usize,
    pub(super) scalars: rocblas_pointer_mode,
    atomics: rocblas_atomics_mode,
    math: rocblas_math_mode,
}

static HANDLES: rocm_platform::Handles<Handle> = rocm_platform::Handles::new(0x5242_0000_0000_0000);

impl Handle {
    pub(super) fn get(handle: rocblas_handle) -> RocblasResult<Self> {
        HANDLES.get(handle as usize).ok_or(rocblas_status_::rocblas_status_invalid_handle)
    }

    fn set(handle: rocblas_handle, f: impl FnOnce(&mut Self)) -> RocblasResult {
        HANDLES.with(handle as usize, f).ok_or(rocblas_status_::rocblas_status_invalid_handle)
    }

    /// The stream that work goes to, unless it has been destroyed.
    pub(super) fn stream(&self) -> RocblasResult<Arc<Stream>> {
        if self.stream == 0 {
            return Ok(self.device.null_stream().clone());
        }
        stream::resolve(self.stream as hipStream_t)
            .map_err(|_| rocblas_status_::rocblas_status_internal_error)
    }
}

/// `off`: no handle is created, as if rocBLAS had no kernels for the device. For tests.
const VARIABLE: &str = "CANDLE_ROCM_HOST_ROCBLAS";

impl Handles for Host {
    const VERSION: &'static CStr = c"4.4.1.candle-rocm-host";

    fn create() -> RocblasResult<rocblas_handle> {
        if variable::switch(VARIABLE) == Some(false) {
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
        Ok(HANDLES.insert(handle) as rocblas_handle)
    }

    unsafe fn destroy(handle: rocblas_handle) -> RocblasResult {
        let removed = HANDLES.remove(handle as usize);
        removed.map(|_| ()).ok_or(rocblas_status_::rocblas_status_invalid_handle)
    }

    unsafe fn set_stream(handle: rocblas_handle, stream: hipStream_t) -> RocblasResult {
        let device = Handle::get(handle)?.device;
        if !stream.is_null() {
            let known = stream::resolve(stream).map_err(|_| rocblas_status_::rocblas_status_invalid_value)?;
            if !ptr::eq(known.device, device) {
                return Err(rocblas_status_::rocblas_status_invalid_value);
            }
        }
        Handle::set(handle, |handle| handle.stream = stream as usize)
    }

    unsafe fn stream(handle: rocblas_handle) -> RocblasResult<hipStream_t> {
        Ok(Handle::get(handle)?.stream as hipStream_t)
    }

    unsafe fn set_pointer_mode(handle: rocblas_handle, mode: rocblas_pointer_mode) -> RocblasResult {
        Handle::set(handle, |handle| handle.scalars = mode)
    }

    unsafe fn pointer_mode(handle: rocblas_handle) -> RocblasResult<rocblas_pointer_mode> {
        Ok(Handle::get(handle)?.scalars)
    }

    /// No effect: sums always have the same order here.
    unsafe fn set_atomics_mode(handle: rocblas_handle, mode: rocblas_atomics_mode) -> RocblasResult {
        Handle::set(handle, |handle| handle.atomics = mode)
    }

    unsafe fn atomics_mode(handle: rocblas_handle) -> RocblasResult<rocblas_atomics_mode> {
        Ok(Handle::get(handle)?.atomics)
    }

    /// No effect: there is no faster, less precise arithmetic here.
    unsafe fn set_math_mode(handle: rocblas_handle, mode: rocblas_math_mode) -> RocblasResult {
        Handle::set(handle, |handle| handle.math = mode)
    }

    unsafe fn math_mode(handle: rocblas_handle) -> RocblasResult<rocblas_math_mode> {
        Ok(Handle::get(handle)?.math)
    }

    /// The memory is not used: nothing here needs it.
    unsafe fn set_workspace(handle: rocblas_handle, address: *mut c_void, size: usize) -> RocblasResult {
        Handle::get(handle)?;
        if address.is_null() && size > 0 {
            Err(rocblas_status_::rocblas_status_invalid_pointer)
        } else {
            Ok(())
        }
    }
}

rocblas_handle_exports! { Host }
