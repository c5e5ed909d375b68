//! Loading a module from bytes whose number is known: nothing beyond them is read, whatever their header says.

use std::ffi::c_void;

use rocm_sys::hip::{hipError_t, hipModule_t};

use super::api::load;
use super::blob;
use crate::exports::export;
use crate::runtime::error::write;

export! {
    extension => SIZED_EXTENSIONS;

    fn candleRocmModuleLoadDataSized(module: *mut hipModule_t, image: *const c_void, size: usize) -> hipError_t {
        if module.is_null() || image.is_null() {
            return Err(hipError_t::hipErrorInvalidValue);
        }
        // SAFETY: not null, so the caller vouches for as many bytes.
        let bytes = unsafe { std::slice::from_raw_parts(image.cast::<u8>(), size) };
        let loaded = load(blob::decode(bytes))?;
        // SAFETY: the caller's out-parameter.
        unsafe { write(module, loaded) }
    }
}
