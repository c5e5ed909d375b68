//! Pages from `mmap`.

use std::ffi::{CStr, c_int, c_void};
use std::fs::File;
use std::io::{self, Seek, Write};
use std::os::fd::{AsRawFd, FromRawFd};
use std::ptr;
use std::sync::OnceLock;

use crate::system::{FRESH, PAGE};

const RESERVED: c_int = libc::MAP_PRIVATE | libc::MAP_NORESERVE;

/// New pages full of zeros. They cost nothing until they are touched.
pub(crate) fn map(len: usize) -> io::Result<usize> {
    // SAFETY: a new mapping, wherever the system likes.
    unsafe { map_at(ptr::null_mut(), len, RESERVED | libc::MAP_ANONYMOUS, -1) }
}

/// Gives pages back.
///
/// # Safety
/// They are a whole mapping of this length that nobody uses.
pub(crate) unsafe fn unmap(start: usize, len: usize) {
    // SAFETY: the caller's promise.
    unsafe { libc::munmap(start as *mut c_void, len) };
}

/// Makes the lowest page inaccessible; where the kernel can, without splitting the mapping.
///
/// # Safety
/// The mapping begins there, and the page holds nothing.
pub(crate) unsafe fn guard(start: usize) {
    const MADV_GUARD_INSTALL: c_int = 102;
    let start = start as *mut c_void;
    // SAFETY: the caller's promise.
    unsafe {
        if libc::madvise(start, PAGE, MADV_GUARD_INSTALL) != 0 {
            // Without a guard, if the process has used up its mappings.
            libc::mprotect(start, PAGE, libc::PROT_NONE);
        }
    }
}

/// Makes code of data.
///
/// # Safety
/// They are pages that [`map`] gave, which nobody writes from now on.
#[cfg(test)]
pub(crate) unsafe fn make_executable(start: usize, len: usize) -> io::Result<()> {
    // SAFETY: the caller's promise.
    match unsafe { libc::mprotect(start as *mut c_void, len, libc::PROT_READ | libc::PROT_EXEC) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Size of the file that is full of [`FRESH`]. A mapping of 8 GiB takes 2048 pieces of it.
const PIECE: usize = 4 << 20;

/// Maps `len` bytes of [`FRESH`], copy-on-write.
pub(crate) fn map_fresh(len: usize) -> Option<usize> {
    let whole = map(len).ok()?;
    let Some(file) = fresh_file() else {
        // SAFETY: the mapping was just made with this length.
        unsafe { ptr::write_bytes(whole as *mut u8, FRESH, len) };
        return Some(whole);
    };
    for offset in (0..len).step_by(PIECE) {
        let (address, len_here) = ((whole + offset) as *mut c_void, PIECE.min(len - offset));
        // SAFETY: inside the mapping that was just made.
        if unsafe { map_at(address, len_here, RESERVED | libc::MAP_FIXED, file.as_raw_fd()) }.is_err() {
            // SAFETY: the mapping was made above; nobody has its address.
            unsafe { unmap(whole, len) };
            return None;
        }
    }
    Some(whole)
}

fn fresh_file() -> Option<&'static File> {
    static FILE: OnceLock<Option<File>> = OnceLock::new();
    FILE.get_or_init(|| file(c"candle-rocm-host-fresh", &vec![FRESH; PIECE]).ok()).as_ref()
}

/// A file in memory with these bytes.
pub(super) fn file(name: &CStr, bytes: &[u8]) -> io::Result<File> {
    // SAFETY: a C string and a flag.
    let fd = unsafe { libc::memfd_create(name.as_ptr(), libc::MFD_CLOEXEC) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: a new descriptor that nobody else has.
    let mut file = unsafe { File::from_raw_fd(fd) };
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(file)
}

/// # Safety
/// With `MAP_FIXED`, what is at `address` may be replaced.
pub(super) unsafe fn map_at(
    address: *mut c_void,
    len: usize,
    flags: c_int,
    file: c_int,
) -> io::Result<usize> {
    // SAFETY: the caller vouches for the address.
    let start = unsafe { libc::mmap(address, len, libc::PROT_READ | libc::PROT_WRITE, flags, file, 0) };
    if start == libc::MAP_FAILED { Err(io::Error::last_os_error()) } else { Ok(start as usize) }
}
