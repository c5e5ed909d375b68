//! Functions that this project's platforms export in addition to HIP's.
//!
//! AMD's library does not have them, so callers look them up by name and must handle their absence.

use std::ffi::{c_char, c_void};

use crate::hip::{hipError_t, hipFunction_t, hipModule_t};

/// The name of [`signature::candleRocmFuncGetParamInfo`].
pub const FUNC_GET_PARAM_INFO: &str = "candleRocmFuncGetParamInfo";

/// The name of [`signature::candleRocmModuleLoadDataSized`].
pub const MODULE_LOAD_DATA_SIZED: &str = "candleRocmModuleLoadDataSized";

/// The name of [`signature::candleRocmLastFault`].
pub const LAST_FAULT: &str = "candleRocmLastFault";

/// The name of [`signature::candleRocmCompiler`].
pub const COMPILER: &str = "candleRocmCompiler";

/// The function types.
#[allow(non_camel_case_types)]
pub mod signature {
    use super::{c_char, c_void, hipError_t, hipFunction_t, hipModule_t};

    /// Returns the offset and size of a kernel parameter in bytes, like CUDA's `cuFuncGetParamInfo`: `hipErrorInvalidValue`
    /// past the last parameter, `hipErrorNotSupported` if the driver does not know.
    pub type candleRocmFuncGetParamInfo = unsafe extern "C" fn(
        function: hipFunction_t,
        index: usize,
        offset: *mut usize,
        size: *mut usize,
    ) -> hipError_t;

    /// Like `hipModuleLoadData`, but with the size of the image in bytes: returns `hipErrorInvalidImage` if the image is truncated.
    pub type candleRocmModuleLoadDataSized =
        unsafe extern "C" fn(module: *mut hipModule_t, image: *const c_void, size: usize) -> hipError_t;

    /// Writes a description of the most recent fault of any device, truncated to `size` bytes including the terminating zero. Empty if
    /// there was none.
    pub type candleRocmLastFault = unsafe extern "C" fn(text: *mut c_char, size: usize) -> hipError_t;

    /// Writes the path and version of the compiler that hiprtc or comgr runs, truncated to `size` bytes including the terminating zero.
    /// Returns `hipErrorNotFound` if there is none.
    pub type candleRocmCompiler = unsafe extern "C" fn(text: *mut c_char, size: usize) -> hipError_t;
}
