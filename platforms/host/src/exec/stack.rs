//! Stacks for GPU threads.

use std::num::NonZeroUsize;
use std::ops::Range;

#[cfg(windows)]
use corosensei::stack::StackTebFields;
use corosensei::stack::{Stack, StackPointer};

use crate::system::{PAGE, memory};

/// A stack with a guard page below it, so that an overflow is a fault and does not reach other memory.
pub(crate) struct FiberStack {
    mapping: usize,
    length: usize,
    base: NonZeroUsize,
}

impl FiberStack {
    /// A stack of `size` bytes, a multiple of the page size. `number` tells neighbours apart.
    pub(crate) fn new(size: usize, number: usize) -> std::io::Result<Self> {
        let length = size + PAGE;
        let mapping = memory::map(length)?;
        // SAFETY: our own new mapping, which holds nothing yet.
        unsafe { memory::guard(mapping) };
        // Stacks begin at multiples of a page; if threads' frames did as well, all of them would compete for the
        // same few cache lines.
        let colour = number * 7 % 60 * 64;
        let base = mapping + length - colour;
        let base =
            NonZeroUsize::new(base & !(corosensei::stack::STACK_ALIGNMENT - 1)).unwrap_or(NonZeroUsize::MAX);
        Ok(Self { mapping, length, base })
    }

    /// The page that must not be touched.
    pub(crate) fn guard(&self) -> Range<usize> {
        self.mapping..self.mapping + PAGE
    }
}

impl Drop for FiberStack {
    fn drop(&mut self) {
        // SAFETY: our own mapping; the owner of the stack no longer runs on it.
        unsafe { memory::unmap(self.mapping, self.length) };
    }
}

// SAFETY: `base` is aligned and lies in a mapping that lives as long as this value, with a guard page at its low end.
unsafe impl Stack for FiberStack {
    fn base(&self) -> StackPointer {
        self.base
    }

    fn limit(&self) -> StackPointer {
        NonZeroUsize::new(self.mapping).unwrap_or(NonZeroUsize::MIN)
    }

    /// All of it is committed: Windows has nothing to add to it.
    #[cfg(windows)]
    fn teb_fields(&self) -> StackTebFields {
        StackTebFields {
            StackBase: self.base.get(),
            StackLimit: self.guard().end,
            DeallocationStack: self.mapping,
            GuaranteedStackBytes: 0,
        }
    }

    #[cfg(windows)]
    fn update_teb_fields(&mut self, _stack_limit: usize, _guaranteed_stack_bytes: usize) {}
}
