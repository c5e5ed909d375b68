//! ThreadSanitizer's functions.

use std::ffi::{CString, c_char, c_uint, c_void};
use std::sync::OnceLock;

use super::functions;

functions! {
    Functions {
        current: c"__tsan_get_current_fiber" fn() -> *mut c_void,
        create: c"__tsan_create_fiber" fn(c_uint) -> *mut c_void,
        destroy: c"__tsan_destroy_fiber" fn(*mut c_void),
        switch: c"__tsan_switch_to_fiber" fn(*mut c_void, c_uint),
        name: c"__tsan_set_fiber_name" fn(*mut c_void, *const c_char),
        acquire: c"__tsan_acquire" fn(*mut c_void),
        release: c"__tsan_release" fn(*mut c_void),
        read: c"__tsan_read_range" fn(*mut c_void, usize),
        write: c"__tsan_write_range" fn(*mut c_void, usize),
    }
}

/// Orders threads that use fences.
static FENCES: u64 = 0;

pub(crate) fn functions() -> Option<&'static Functions> {
    static FOUND: OnceLock<Option<Functions>> = OnceLock::new();
    FOUND.get_or_init(Functions::find).as_ref()
}

pub(crate) fn is_loaded() -> bool {
    functions().is_some()
}

pub(crate) fn fence() {
    if let Some(functions) = functions() {
        // SAFETY: an address that stays, and is not written.
        unsafe {
            (functions.acquire)((&raw const FENCES).cast_mut().cast());
            (functions.release)((&raw const FENCES).cast_mut().cast());
        }
    }
}

/// What came before the token comes before what the calling thread does from now on.
pub(crate) fn acquire(token: *mut u8) {
    if let Some(functions) = functions() {
        // SAFETY: only an address to the sanitizer.
        unsafe { (functions.acquire)(token.cast()) };
    }
}

/// What the calling thread did so far comes before the token.
pub(crate) fn release(token: *mut u8) {
    if let Some(functions) = functions() {
        // SAFETY: only an address to the sanitizer.
        unsafe { (functions.release)(token.cast()) };
    }
}

/// The calling thread uses this memory, in code that the sanitizer does not see.
pub(crate) fn access(address: usize, len: usize, write: bool) {
    if let Some(functions) = functions() {
        let access = if write { functions.write } else { functions.read };
        // SAFETY: the memory is not touched; the range is in an allocation, for which the sanitizer keeps records.
        unsafe { access(address as *mut c_void, len) };
    }
}

/// What reports call the calling thread.
pub(crate) fn name_thread(name: &str) {
    if let (Some(functions), Ok(name)) = (functions(), CString::new(name)) {
        // SAFETY: the calling thread's own fiber, and a string, which the sanitizer copies.
        unsafe { (functions.name)((functions.current)(), name.as_ptr()) };
    }
}
