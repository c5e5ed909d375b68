//! Variables that all blocks share (`__device__` and `__constant__`). Every thread of this process runs its own copy of the module,
//! but the pages of these variables are the same memory in all copies.

use std::fs::File;
use std::ops::Range;
use std::os::fd::AsRawFd;
use std::ptr;

use super::loading::{self, Copy};
use crate::runtime::device::Device;
use crate::runtime::registry::{self, Owner};

/// The memory of a module's variables.
pub(crate) struct Globals {
    file: File,
    /// Where it is mapped for the host: `hipModuleGetGlobal` returns addresses in this mapping.
    base: usize,
    /// The section's range in a copy.
    section: Range<usize>,
    variables: Vec<(String, Range<usize>)>,
}

impl Globals {
    /// Memory with the initial values of the variables, from a copy that was just loaded.
    pub(crate) fn new(
        copy: &Copy,
        section: Range<usize>,
        variables: Vec<(String, Range<usize>)>,
        device: &'static Device,
    ) -> Result<Self, String> {
        let failed = |error: std::io::Error| format!("cannot allocate __device__ variables: {error}");
        let length = section.len();
        // SAFETY: the section of a loaded copy, which nobody writes yet.
        let values =
            unsafe { std::slice::from_raw_parts((copy.base() + section.start) as *const u8, length) };
        let file = loading::memory_file(c"candle-rocm-host-variables", values).map_err(failed)?;
        // SAFETY: a new mapping of a file of ours, which is that long.
        let base = unsafe { map(ptr::null_mut(), length, 0, &file) }.map_err(failed)?;
        let globals = Self { file, base, section, variables };
        let known = device.reserve(length).and_then(|()| {
            registry::register(Owner::Device(device), base, length).inspect_err(|_| device.release(length))
        });
        known.map_err(|code| {
            format!("cannot allocate device memory for __device__ variables: error {}", code.0)
        })?;
        Ok(globals)
    }

    /// Lets a copy use this memory.
    pub(crate) fn share_with(&self, copy: &Copy) -> Result<(), String> {
        let address = (copy.base() + self.section.start) as *mut libc::c_void;
        // SAFETY: whole pages of a loaded copy that nobody uses yet, with nothing but the section on them.
        unsafe { map(address, self.section.len(), libc::MAP_FIXED, &self.file) }
            .map(|_| ())
            .map_err(|error| format!("cannot share __device__ variables: {error}"))
    }

    /// Address and size of a variable.
    pub(crate) fn find(&self, name: &str) -> Option<(usize, usize)> {
        let (_, range) = self.variables.iter().find(|(variable, _)| variable == name)?;
        Some((self.base + range.start - self.section.start, range.len()))
    }
}

impl Drop for Globals {
    fn drop(&mut self) {
        // It may have been freed with everything else of its device.
        let _ = registry::free(self.base, |_| true);
        // SAFETY: our mapping; copies have their own.
        unsafe { libc::munmap(self.base as *mut libc::c_void, self.section.len()) };
    }
}

/// # Safety
/// With `MAP_FIXED`, what is at `address` may be replaced.
unsafe fn map(address: *mut libc::c_void, length: usize, flags: i32, file: &File) -> std::io::Result<usize> {
    // SAFETY: the caller vouches for the address.
    let mapped = unsafe {
        libc::mmap(
            address,
            length,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED | flags,
            file.as_raw_fd(),
            0,
        )
    };
    if mapped == libc::MAP_FAILED { Err(std::io::Error::last_os_error()) } else { Ok(mapped as usize) }
}
