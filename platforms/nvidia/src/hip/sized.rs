//! Loading a module from bytes whose number is known.

use super::{image, module};
use crate::exports::export;
use rocm_sys::hip::{hipError_t, hipModule_t};
use std::ffi::c_void;

export! {
    extension => EXTENSIONS;

    fn candleRocmModuleLoadDataSized(module: *mut hipModule_t, image: *const c_void, size: usize) -> hipError_t {
        if image.is_null() {
            return Err(hipError_t::hipErrorInvalidValue);
        }
        // SAFETY: not null, so the caller vouches for as many bytes.
        let bytes = unsafe { std::slice::from_raw_parts(image.cast::<u8>(), size) };
        if !image::is_whole(bytes) {
            return Err(hipError_t::hipErrorInvalidImage);
        }
        // SAFETY: the caller's out-parameter; nothing beyond the bytes is read.
        unsafe { module::load(module, image, Vec::new()) }
    }
}
