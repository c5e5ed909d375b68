//! Pooling.

use super::descriptor::Tensor;
use super::handle::of;
use crate::exports::Nvidia;
use rocm_platform::miopen::{MiopenResult, Pooling, Poolings, check};
use rocm_platform::miopen_pooling_exports;
use rocm_sys::miopen::miopenStatus_t;

impl Poolings for Nvidia {
    /// Inference only: cuDNN stores nothing for the gradient.
    unsafe fn forward(call: &Pooling) -> MiopenResult {
        let (cudnn, handle) = of(call.handle)?;
        check(call.pooling)?;
        if call.for_training {
            return Err(miopenStatus_t::miopenStatusNotImplemented);
        }
        let (alpha, beta) = (call.factors.alpha, call.factors.beta);
        // SAFETY: the caller vouches for handle, descriptors and memory.
        unsafe {
            let (x, y) = (Tensor::of(call.x_descriptor)?.tensor, Tensor::of(call.y_descriptor)?.tensor);
            cudnn.cudnnPoolingForward(handle, call.pooling.cast(), alpha, x, call.x, beta, y, call.y)
        }
    }
}

miopen_pooling_exports! { Nvidia }
