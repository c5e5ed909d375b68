//! What kernels take: asked before a launch, as nothing can be checked after it.

use rocm_sys::hip::{hipError_t, hipFunction_t};

use super::api::function;
use crate::exports::export;
use crate::runtime::error::write;

export! {
    extension => EXTENSIONS;

    fn candleRocmFuncGetParamInfo(
        kernel: hipFunction_t, index: usize, offset: *mut usize, size: *mut usize,
    ) -> hipError_t {
        let function = function(kernel as usize)?;
        let parameters = &function.module.kernels[function.kernel].parameters;
        let parameter = parameters.get(index).ok_or(hipError_t::hipErrorInvalidValue)?;
        // SAFETY: the caller's out-parameters.
        unsafe {
            write(offset, parameter.offset)?;
            write(size, parameter.size)
        }
    }
}
