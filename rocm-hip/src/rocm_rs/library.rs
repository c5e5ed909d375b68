//! Whether rocm-rs and this crate call the same HIP.

use std::ffi::c_void;

use ::rocm_rs::hip::ffi;

use crate::{Device, HipError, Result};

/// What rocm-rs was linked to is the library that the device's platform opened.
///
/// A function has one address per copy of the library in the process.
pub(super) fn check_same(device: Device) -> Result<()> {
    let theirs = ffi::hipMalloc as *const c_void;
    let ours = device.hip().library();
    if ours.symbol("hipMalloc") == Some(theirs) {
        return Ok(());
    }
    let file = rocm_sys::file_of(theirs);
    Err(HipError::OtherLibrary {
        ours: ours.path().display().to_string(),
        theirs: file.map_or_else(|| "an unknown file".to_owned(), |file| file.display().to_string()),
    })
}
