//! Handles.

use super::cudnn::{self, Cudnn};
use crate::exports::export;
use crate::hip::device::enter;
use cudarc::cudnn::sys::{cudaStream_t, cudnnHandle_t};
use rocm_sys::implement::miopen::{write, write_version};
use rocm_sys::miopen::{miopenAcceleratorQueue_t, miopenHandle_t, miopenStatus_t, status_text};
use std::ffi::c_char;
use std::ptr;

/// cuDNN, for a handle that is not null.
pub(super) fn of(handle: miopenHandle_t) -> Result<(&'static Cudnn, cudnnHandle_t), miopenStatus_t> {
    if handle.is_null() {
        return Err(miopenStatus_t::miopenStatusBadParm);
    }
    Ok((cudnn::open()?, handle.cast()))
}

/// # Safety
/// `out` is null or valid for writing, and the stream lives.
unsafe fn create(out: *mut miopenHandle_t, stream: miopenAcceleratorQueue_t) -> Result<(), miopenStatus_t> {
    if out.is_null() {
        return Err(miopenStatus_t::miopenStatusBadParm);
    }
    enter().map_err(|_| miopenStatus_t::miopenStatusInternalError)?;
    let cudnn = cudnn::open()?;
    let mut handle = ptr::null_mut();
    // SAFETY: the out-parameters are valid, the caller's because it is not null; the handle is new.
    unsafe {
        cudnn.cudnnCreate(&mut handle)?;
        cudnn.cudnnSetStream(handle, stream.cast())?;
        out.write(handle.cast());
    }
    Ok(())
}

export! {
    miopen => EXPORTS;

    fn miopenCreate(out: *mut miopenHandle_t) -> miopenStatus_t {
        // SAFETY: the caller vouches for the pointer.
        unsafe { create(out, ptr::null_mut()) }
    }

    fn miopenCreateWithStream(out: *mut miopenHandle_t, stream: miopenAcceleratorQueue_t) -> miopenStatus_t {
        // SAFETY: the caller vouches for pointer and stream.
        unsafe { create(out, stream) }
    }

    fn miopenDestroy(handle: miopenHandle_t) -> miopenStatus_t {
        let (cudnn, handle) = of(handle)?;
        // SAFETY: the caller vouches for the handle.
        unsafe { cudnn.cudnnDestroy(handle) }
    }

    fn miopenSetStream(handle: miopenHandle_t, stream: miopenAcceleratorQueue_t) -> miopenStatus_t {
        let (cudnn, handle) = of(handle)?;
        // SAFETY: the caller vouches for the handles.
        unsafe { cudnn.cudnnSetStream(handle, stream.cast()) }
    }

    fn miopenGetStream(handle: miopenHandle_t, out: *mut miopenAcceleratorQueue_t) -> miopenStatus_t {
        let (cudnn, handle) = of(handle)?;
        let mut stream: cudaStream_t = ptr::null_mut();
        // SAFETY: the first out-parameter is valid, the second one the caller's, who vouches for the handle too.
        unsafe {
            cudnn.cudnnGetStream(handle, &mut stream)?;
            write(out, stream.cast())
        }
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
