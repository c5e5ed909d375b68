//! Pools.

use super::descriptor::Tensor;
use super::handle::of;
use crate::exports::export;
use rocm_sys::miopen::{miopenHandle_t, miopenPoolingDescriptor_t, miopenStatus_t, miopenTensorDescriptor_t};
use std::ffi::c_void;

export! {
    miopen => EXPORTS;

    /// For inference: cuDNN writes down nothing for the way back.
    fn miopenPoolingForward(
        handle: miopenHandle_t, pool: miopenPoolingDescriptor_t, alpha: *const c_void,
        x_descriptor: miopenTensorDescriptor_t, x: *const c_void, beta: *const c_void,
        y_descriptor: miopenTensorDescriptor_t, y: *mut c_void, do_backward: bool, _workspace: *mut c_void,
        _size: usize,
    ) -> miopenStatus_t {
        let (cudnn, handle) = of(handle)?;
        if pool.is_null() {
            return Err(miopenStatus_t::miopenStatusBadParm);
        }
        if do_backward {
            return Err(miopenStatus_t::miopenStatusNotImplemented);
        }
        // SAFETY: the caller vouches for handle, descriptors and memory.
        unsafe {
            let (x_tensor, y_tensor) = (Tensor::of(x_descriptor)?.tensor, Tensor::of(y_descriptor)?.tensor);
            cudnn.cudnnPoolingForward(handle, pool.cast(), alpha, x_tensor, x, beta, y_tensor, y)
        }
    }
}
