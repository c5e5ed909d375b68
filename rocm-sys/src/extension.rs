//! Functions that this project's platforms export and HIP does not have.
//!
//! AMD's library lacks them, so callers look them up by name and do without where they are missing.

use std::ffi::{c_char, c_void};

use crate::hip::{hipError_t, hipFunction_t, hipModule_t};

/// Looked up by this name: see [`signature::candleRocmFuncGetParamInfo`].
pub const FUNC_GET_PARAM_INFO: &str = "candleRocmFuncGetParamInfo";

/// Looked up by this name: see [`signature::candleRocmModuleLoadDataSized`].
pub const MODULE_LOAD_DATA_SIZED: &str = "candleRocmModuleLoadDataSized";

/// Looked up by this name: see [`signature::candleRocmLastFault`].
pub const LAST_FAULT: &str = "candleRocmLastFault";

/// The functions' types.
#[allow(non_camel_case_types)]
pub mod signature {
    use super::{c_char, c_void, hipError_t, hipFunction_t, hipModule_t};

    /// Offset and size of a kernel's parameter, as CUDA's `cuFuncGetParamInfo`: `hipErrorInvalidValue` past the last
    /// parameter, `hipErrorNotSupported` where the driver cannot tell.
    pub type candleRocmFuncGetParamInfo = unsafe extern "C" fn(
        function: hipFunction_t,
        index: usize,
        offset: *mut usize,
        size: *mut usize,
    ) -> hipError_t;

    /// `hipModuleLoadData` that is told how many bytes the image has: `hipErrorInvalidImage` if that is less than the image says
    /// itself.
    pub type candleRocmModuleLoadDataSized =
        unsafe extern "C" fn(module: *mut hipModule_t, image: *const c_void, size: usize) -> hipError_t;

    /// What the most recent fault of any device was, in words, cut to so many bytes, the last of which is zero. Empty if there
    /// was none.
    pub type candleRocmLastFault = unsafe extern "C" fn(text: *mut c_char, size: usize) -> hipError_t;
}
