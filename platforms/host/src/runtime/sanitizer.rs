//! Tells AddressSanitizer, if it is in the process, which bytes are not addressable.
//!
//! Kernels may be compiled with `-fsanitize=address` while this crate is not: the sanitizer's functions are looked
//! up at run time, and where they are absent these are no-ops.

use std::ffi::{CStr, c_void};
use std::sync::OnceLock;

use crate::system;

type Region = unsafe extern "C" fn(*const c_void, usize);

/// Makes instrumented code that touches these bytes fail.
pub(crate) fn poison(address: usize, len: usize) {
    static HOOK: OnceLock<Option<Region>> = OnceLock::new();
    call(&HOOK, c"__asan_poison_memory_region", address, len);
}

/// Allows these bytes to be touched again.
pub(crate) fn unpoison(address: usize, len: usize) {
    static HOOK: OnceLock<Option<Region>> = OnceLock::new();
    call(&HOOK, c"__asan_unpoison_memory_region", address, len);
}

fn call(hook: &OnceLock<Option<Region>>, name: &CStr, address: usize, len: usize) {
    let found = hook.get_or_init(|| {
        // SAFETY: a function of AddressSanitizer's public interface; both have this type.
        system::symbol(name).map(|symbol| unsafe { std::mem::transmute::<*mut c_void, Region>(symbol) })
    });
    if let Some(function) = found {
        // SAFETY: only shadow memory is changed, and the region belongs to one of our own blocks.
        unsafe { function(address as *const c_void, len) };
    }
}
