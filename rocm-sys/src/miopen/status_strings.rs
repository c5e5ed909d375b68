//! Names of status codes.

use std::ffi::CStr;

use super::miopenStatus_t;

/// The name of a status code, as `miopenGetErrorString` returns it. Needs no library.
pub fn status_text(status: miopenStatus_t) -> &'static CStr {
    match status {
        miopenStatus_t::miopenStatusSuccess => c"miopenStatusSuccess",
        miopenStatus_t::miopenStatusNotInitialized => c"miopenStatusNotInitialized",
        miopenStatus_t::miopenStatusInvalidValue => c"miopenStatusInvalidValue",
        miopenStatus_t::miopenStatusBadParm => c"miopenStatusBadParm",
        miopenStatus_t::miopenStatusAllocFailed => c"miopenStatusAllocFailed",
        miopenStatus_t::miopenStatusInternalError => c"miopenStatusInternalError",
        miopenStatus_t::miopenStatusNotImplemented => c"miopenStatusNotImplemented",
        miopenStatus_t::miopenStatusUnsupportedOp => c"miopenStatusUnsupportedOp",
        miopenStatus_t::miopenStatusGpuOperationsSkipped => c"miopenStatusGpuOperationsSkipped",
        miopenStatus_t::miopenStatusVersionMismatch => c"miopenStatusVersionMismatch",
        _ => c"miopenStatusUnknownError",
    }
}
