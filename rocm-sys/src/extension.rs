//! Functions that this project's platforms export and HIP does not have.
//!
//! AMD's library lacks them, so callers look them up by name and do without where they are missing.

use crate::hip::{hipError_t, hipFunction_t};

/// Looked up by this name: see [`signature::candleRocmFuncGetParamInfo`].
pub const FUNC_GET_PARAM_INFO: &str = "candleRocmFuncGetParamInfo";

/// The functions' types.
#[allow(non_camel_case_types)]
pub mod signature {
    use super::{hipError_t, hipFunction_t};

    /// Offset and size of a kernel's parameter, as CUDA's `cuFuncGetParamInfo`: `hipErrorInvalidValue` past the last
    /// parameter, `hipErrorNotSupported` where the driver cannot tell.
    pub type candleRocmFuncGetParamInfo = unsafe extern "C" fn(
        function: hipFunction_t,
        index: usize,
        offset: *mut usize,
        size: *mut usize,
    ) -> hipError_t;
}
