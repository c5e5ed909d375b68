//! Pages that are mapped at several addresses.

use std::ffi::c_void;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::{io, ptr};

use super::memory;

/// Memory that is the same at all addresses where it is mapped.
pub(crate) struct SharedPages {
    file: File,
    base: usize,
    len: usize,
}

impl SharedPages {
    /// Memory with these bytes, mapped once.
    pub(crate) fn new(bytes: &[u8]) -> io::Result<Self> {
        let file = memory::file(c"candle-rocm-host-variables", bytes)?;
        // SAFETY: a new mapping of a file of ours, which is that long.
        let base =
            unsafe { memory::map_at(ptr::null_mut(), bytes.len(), libc::MAP_SHARED, file.as_raw_fd()) }?;
        Ok(Self { file, base, len: bytes.len() })
    }

    /// Where they were mapped first.
    pub(crate) fn base(&self) -> usize {
        self.base
    }

    /// Maps them over what is at an address, for as long as that is mapped.
    ///
    /// # Safety
    /// Whole pages begin there that nobody uses.
    pub(crate) unsafe fn map_over(&self, address: usize) -> io::Result<()> {
        let flags = libc::MAP_SHARED | libc::MAP_FIXED;
        // SAFETY: the caller's promise.
        unsafe { memory::map_at(address as *mut c_void, self.len, flags, self.file.as_raw_fd()) }.map(|_| ())
    }
}

impl Drop for SharedPages {
    fn drop(&mut self) {
        // SAFETY: our mapping; the others are not ours.
        unsafe { memory::unmap(self.base, self.len) };
    }
}
