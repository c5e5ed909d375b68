//! Pages from `VirtualAlloc`.

use std::ffi::c_void;
use std::{io, ptr};

use crate::system::{FRESH, PAGE};

#[link(name = "kernel32")]
unsafe extern "system" {
    fn VirtualAlloc(address: *mut c_void, size: usize, kind: u32, protection: u32) -> *mut c_void;
    fn VirtualFree(address: *mut c_void, size: usize, kind: u32) -> i32;
    fn VirtualProtect(address: *mut c_void, size: usize, protection: u32, before: *mut u32) -> i32;
}

const NO_ACCESS: u32 = 0x01;
const READ_WRITE: u32 = 0x04;
const EXECUTE_READ: u32 = 0x20;

/// New pages full of zeros.
pub(crate) fn map(len: usize) -> io::Result<usize> {
    const RESERVE_AND_COMMIT: u32 = 0x3000;
    // SAFETY: new pages, wherever the system likes.
    let start = unsafe { VirtualAlloc(ptr::null_mut(), len, RESERVE_AND_COMMIT, READ_WRITE) };
    if start.is_null() { Err(io::Error::last_os_error()) } else { Ok(start as usize) }
}

/// Gives pages back.
///
/// # Safety
/// They are all that one call of [`map`] gave, and nobody uses them.
pub(crate) unsafe fn unmap(start: usize, _len: usize) {
    const RELEASE: u32 = 0x8000;
    // SAFETY: the caller's promise.
    unsafe { VirtualFree(start as *mut c_void, 0, RELEASE) };
}

/// Makes the lowest page inaccessible. Windows describes a fault on the stack on which it happened: on this page there is no room for that,
/// and an overflow ends the process.
///
/// # Safety
/// The pages begin there, and this one holds nothing.
pub(crate) unsafe fn guard(start: usize) {
    // Without a guard, if that fails.
    // SAFETY: the caller's promise.
    let _ = unsafe { protect(start, PAGE, NO_ACCESS) };
}

/// Makes code of data.
///
/// # Safety
/// They are pages that [`map`] gave, which nobody writes from now on.
pub(crate) unsafe fn make_executable(start: usize, len: usize) -> io::Result<()> {
    // SAFETY: the caller's promise.
    unsafe { protect(start, len, EXECUTE_READ) }
}

/// New pages full of [`FRESH`].
pub(crate) fn map_fresh(len: usize) -> Option<usize> {
    let start = map(len).ok()?;
    // SAFETY: pages of this length that were just made.
    unsafe { ptr::write_bytes(start as *mut u8, FRESH, len) };
    Some(start)
}

/// # Safety
/// They are our own pages, which nobody uses in another way.
unsafe fn protect(start: usize, len: usize, protection: u32) -> io::Result<()> {
    let mut before = 0;
    // SAFETY: the caller's promise; the call writes one word.
    match unsafe { VirtualProtect(start as *mut c_void, len, protection, &mut before) } {
        0 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}
