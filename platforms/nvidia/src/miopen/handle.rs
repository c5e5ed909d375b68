//! Handles.

use super::cudnn::{self, Cudnn};
use crate::exports::Nvidia;
use crate::hip::device::enter;
use cudarc::cudnn::sys::{cudaStream_t, cudnnHandle_t};
use rocm_platform::miopen::{Handles, MiopenResult};
use rocm_platform::miopen_handle_exports;
use rocm_sys::miopen::{miopenAcceleratorQueue_t, miopenHandle_t, miopenStatus_t};
use std::ptr;

/// cuDNN, for a handle that is not null.
pub(super) fn of(handle: miopenHandle_t) -> MiopenResult<(&'static Cudnn, cudnnHandle_t)> {
    if handle.is_null() {
        return Err(miopenStatus_t::miopenStatusBadParm);
    }
    Ok((cudnn::open()?, handle.cast()))
}

impl Handles for Nvidia {
    unsafe fn create(stream: miopenAcceleratorQueue_t) -> MiopenResult<miopenHandle_t> {
        enter().map_err(|_| miopenStatus_t::miopenStatusInternalError)?;
        let cudnn = cudnn::open()?;
        let mut handle = ptr::null_mut();
        // SAFETY: the out-parameter is valid; the handle is new, and the caller vouches for the stream.
        unsafe {
            cudnn.cudnnCreate(&mut handle)?;
            cudnn.cudnnSetStream(handle, stream.cast())?;
        }
        Ok(handle.cast())
    }

    unsafe fn destroy(handle: miopenHandle_t) -> MiopenResult {
        let (cudnn, handle) = of(handle)?;
        // SAFETY: the caller vouches for the handle.
        unsafe { cudnn.cudnnDestroy(handle) }
    }

    unsafe fn set_stream(handle: miopenHandle_t, stream: miopenAcceleratorQueue_t) -> MiopenResult {
        let (cudnn, handle) = of(handle)?;
        // SAFETY: the caller vouches for the handles.
        unsafe { cudnn.cudnnSetStream(handle, stream.cast()) }
    }

    unsafe fn stream(handle: miopenHandle_t) -> MiopenResult<miopenAcceleratorQueue_t> {
        let (cudnn, handle) = of(handle)?;
        let mut stream: cudaStream_t = ptr::null_mut();
        // SAFETY: the out-parameter is valid; the caller vouches for the handle.
        unsafe { cudnn.cudnnGetStream(handle, &mut stream)? };
        Ok(stream.cast())
    }
}

miopen_handle_exports! { Nvidia }
