//! For other systems: the platform's coroutines, memory and faults are those of Linux and Windows on x86-64.

use std::ffi::c_void;

/// There are no functions.
pub fn symbol(_: &str) -> Option<*const c_void> {
    None
}

/// There are no functions.
pub fn symbols() -> impl Iterator<Item = &'static str> {
    std::iter::empty()
}

/// `None`: no kernel has run.
pub fn last_fault() -> Option<String> {
    None
}

/// No kernel can be checked.
///
/// # Errors
///
/// Always: the platform is not in this build.
pub fn sanitizer_environment(_: &str) -> Result<Vec<(String, String)>, String> {
    Err(crate::unavailable().unwrap_or_default())
}
