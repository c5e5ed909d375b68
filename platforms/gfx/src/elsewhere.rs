//! For other systems: the interpreter is for Linux on x86-64 only.

use std::ffi::c_void;

use crate::coverage::KernelCode;

/// There are none.
pub const EXECUTED: &[&str] = &[];

/// There are no functions.
pub fn symbol(_: &str) -> Option<*const c_void> {
    None
}

/// There are no functions.
pub fn symbols() -> impl Iterator<Item = &'static str> {
    std::iter::empty()
}

/// There are no processors.
pub fn arch(_: &str) -> Option<String> {
    None
}

/// Nothing is understood.
///
/// # Errors
/// Always.
pub fn not_understood(_: &[u8], _: &str) -> Result<Vec<String>, String> {
    Err(crate::unavailable().unwrap_or_default())
}

/// Nothing is loaded.
///
/// # Errors
/// Always.
pub fn listing(_: &[u8], _: &str) -> Result<Vec<KernelCode>, String> {
    Err(crate::unavailable().unwrap_or_default())
}
