//! Linux.

pub(crate) mod faults;
pub(crate) mod memory;
mod object;
mod shared_pages;

use std::ffi::{CStr, c_void};

pub(crate) use object::Object;
pub(crate) use shared_pages::SharedPages;

/// The address of a function in this process.
pub(crate) fn symbol(name: &CStr) -> Option<*mut c_void> {
    // SAFETY: RTLD_DEFAULT is always a valid handle, and the name is a C string.
    let found = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
    (!found.is_null()).then_some(found)
}
