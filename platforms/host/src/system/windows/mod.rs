//! Windows.

pub(crate) mod faults;
pub(crate) mod memory;
mod shared_pages;

use std::ffi::{CStr, c_void};

pub(crate) use shared_pages::SharedPages;

/// Functions of the sanitizers' libraries, of which there are none.
pub(crate) fn symbol(_: &CStr) -> Option<*mut c_void> {
    None
}
