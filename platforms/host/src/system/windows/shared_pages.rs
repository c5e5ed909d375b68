//! Pages that are mapped at several addresses. Windows maps such pages at multiples of 64 KiB only, not in the middle of a module.

use std::convert::Infallible;
use std::io;

/// There are none.
pub(crate) struct SharedPages(Infallible);

impl SharedPages {
    pub(crate) fn new(_bytes: &[u8]) -> io::Result<Self> {
        Err(io::Error::new(io::ErrorKind::Unsupported, "the host platform does not support them on Windows"))
    }

    pub(crate) fn base(&self) -> usize {
        match self.0 {}
    }

    /// # Safety
    /// None is needed.
    pub(crate) unsafe fn map_over(&self, _address: usize) -> io::Result<()> {
        match self.0 {}
    }
}
