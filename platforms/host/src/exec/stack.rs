//! Stacks for GPU threads.

use std::num::NonZeroUsize;
use std::ops::Range;
use std::ptr;

use corosensei::stack::{Stack, StackPointer};

const PAGE: usize = 4096;

/// A stack with a guard page below it, so that an overflow is a fault and does not reach other memory.
pub(crate) struct FiberStack {
    mapping: *mut libc::c_void,
    length: usize,
    base: NonZeroUsize,
}

impl FiberStack {
    /// A stack of `size` bytes, a multiple of the page size. `number` tells neighbours apart.
    pub(crate) fn new(size: usize, number: usize) -> std::io::Result<Self> {
        let length = size + PAGE;
        // SAFETY: a new private mapping, wherever the system likes.
        let mapping = unsafe {
            libc::mmap(
                ptr::null_mut(),
                length,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
                -1,
                0,
            )
        };
        if mapping == libc::MAP_FAILED {
            return Err(std::io::Error::last_os_error());
        }
        guard(mapping);
        // Stacks begin at multiples of a page; if threads' frames did as well, all of them would compete for the
        // same few cache lines.
        let colour = number * 7 % 60 * 64;
        let base = mapping as usize + length - colour;
        let base =
            NonZeroUsize::new(base & !(corosensei::stack::STACK_ALIGNMENT - 1)).unwrap_or(NonZeroUsize::MAX);
        Ok(Self { mapping, length, base })
    }

    /// The page that must not be touched.
    pub(crate) fn guard(&self) -> Range<usize> {
        self.mapping as usize..self.mapping as usize + PAGE
    }
}

/// Makes the lowest page inaccessible; where the kernel can, without splitting the mapping.
fn guard(mapping: *mut libc::c_void) {
    const MADV_GUARD_INSTALL: libc::c_int = 102;
    // SAFETY: the first page of our own new mapping, which holds nothing yet.
    unsafe {
        if libc::madvise(mapping, PAGE, MADV_GUARD_INSTALL) != 0 {
            // Without a guard, if the process has used up its mappings.
            libc::mprotect(mapping, PAGE, libc::PROT_NONE);
        }
    }
}

impl Drop for FiberStack {
    fn drop(&mut self) {
        // SAFETY: our own mapping; the owner of the stack no longer runs on it.
        unsafe { libc::munmap(self.mapping, self.length) };
    }
}

// SAFETY: `base` is aligned and lies in a mapping that lives as long as this value, with a guard page at its low end.
unsafe impl Stack for FiberStack {
    fn base(&self) -> StackPointer {
        self.base
    }

    fn limit(&self) -> StackPointer {
        NonZeroUsize::new(self.mapping as usize).unwrap_or(NonZeroUsize::MIN)
    }
}
