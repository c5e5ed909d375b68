//! What kernels take.

use super::driver::introspection;
use super::launch::resolve;
use crate::error::write;
use crate::exports::export;
use rocm_sys::hip::{hipError_t, hipFunction_t};

export! {
    extension => EXTENSIONS;

    fn candleRocmFuncGetParamInfo(
        function: hipFunction_t, index: usize, offset: *mut usize, size: *mut usize,
    ) -> hipError_t {
        let (_, function) = resolve(function)?;
        let driver = introspection().ok_or(hipError_t::hipErrorNotSupported)?;
        let (mut start, mut bytes) = (0, 0);
        // SAFETY: the caller vouches for the handle; the out-parameters are valid.
        unsafe { driver.cuFuncGetParamInfo(function, index, &mut start, &mut bytes)? };
        // SAFETY: the caller's out-parameters.
        unsafe {
            write(offset, start)?;
            write(size, bytes)
        }
    }
}
