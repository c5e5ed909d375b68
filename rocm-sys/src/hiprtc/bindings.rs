// Made by `cargo xtask bindgen` from the headers of ROCm 6.4 (hiprtc 6.4.43484); do not edit.

use crate::hip::*;
/// hiprtc link state
pub type hiprtcLinkState = *mut ihiprtcLinkState;
/// hiprtc program
pub type hiprtcProgram = *mut _hiprtcProgram;
#[repr(transparent)]
/// / /** hiprtc error code
#[derive(Debug, Copy, Clone, Hash, PartialEq, Eq)]
pub struct hiprtcResult(pub ::core::ffi::c_uint);
#[repr(C)]
#[derive(Debug)]
pub struct ihiprtcLinkState {
    _unused: [u8; 0],
}
#[repr(C)]
#[derive(Debug)]
pub struct _hiprtcProgram {
    _unused: [u8; 0],
}
impl hiprtcResult {
    /// Success
    pub const HIPRTC_SUCCESS: hiprtcResult = hiprtcResult(0);
    /// Out of memory
    pub const HIPRTC_ERROR_OUT_OF_MEMORY: hiprtcResult = hiprtcResult(1);
    /// Failed to create program
    pub const HIPRTC_ERROR_PROGRAM_CREATION_FAILURE: hiprtcResult = hiprtcResult(2);
    /// Invalid input
    pub const HIPRTC_ERROR_INVALID_INPUT: hiprtcResult = hiprtcResult(3);
    /// Invalid program
    pub const HIPRTC_ERROR_INVALID_PROGRAM: hiprtcResult = hiprtcResult(4);
    /// Invalid option
    pub const HIPRTC_ERROR_INVALID_OPTION: hiprtcResult = hiprtcResult(5);
    /// Compilation error
    pub const HIPRTC_ERROR_COMPILATION: hiprtcResult = hiprtcResult(6);
    /// Failed in builtin operation
    pub const HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE: hiprtcResult = hiprtcResult(7);
    /// No name expression after compilation
    pub const HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION: hiprtcResult = hiprtcResult(
        8,
    );
    /// No lowered names before compilation
    pub const HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION: hiprtcResult = hiprtcResult(
        9,
    );
    /// Invalid name expression
    pub const HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID: hiprtcResult = hiprtcResult(10);
    /// Internal error
    pub const HIPRTC_ERROR_INTERNAL_ERROR: hiprtcResult = hiprtcResult(11);
    /// Error in linking
    pub const HIPRTC_ERROR_LINKING: hiprtcResult = hiprtcResult(100);
}
