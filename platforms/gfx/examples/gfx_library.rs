//! The platform as a shared library, for programs that are built without it: `CANDLE_ROCM_GFX_LIBRARY` names it.

use std::ffi::{CStr, c_char, c_void};

/// The address of a C function of HIP, hiprtc, rocBLAS or MIOpen, or null.
///
/// # Safety
/// `name` is a C string.
#[allow(non_snake_case)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn candleRocmSymbol(name: *const c_char) -> *const c_void {
    // SAFETY: the caller's promise.
    let name = unsafe { CStr::from_ptr(name) };
    name.to_str().ok().and_then(candle_rocm_gfx::symbol).unwrap_or(std::ptr::null())
}

const _: rocm_sys::SymbolLookup = candleRocmSymbol;
