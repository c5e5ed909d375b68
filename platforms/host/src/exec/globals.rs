//! Variables that all blocks share (`__device__` and `__constant__`). Every thread of this process runs its own copy of the module,
//! but the pages of these variables are the same memory in all copies.

use std::ops::Range;

use super::loading::Copy;
use crate::runtime::device::Device;
use crate::runtime::registry::{self, Owner};
use crate::system::SharedPages;

/// The memory of a module's variables.
pub(crate) struct Globals {
    /// `hipModuleGetGlobal` returns addresses in their first mapping.
    pages: SharedPages,
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
        let length = section.len();
        // SAFETY: the section of a loaded copy, which nobody writes yet.
        let values =
            unsafe { std::slice::from_raw_parts((copy.base() + section.start) as *const u8, length) };
        let pages = SharedPages::new(values)
            .map_err(|error| format!("cannot allocate __device__ variables: {error}"))?;
        let base = pages.base();
        let globals = Self { pages, section, variables };
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
        // SAFETY: whole pages of a loaded copy that nobody uses yet, with nothing but the section on them.
        unsafe { self.pages.map_over(copy.base() + self.section.start) }
            .map_err(|error| format!("cannot share __device__ variables: {error}"))
    }

    /// Address and size of a variable.
    pub(crate) fn find(&self, name: &str) -> Option<(usize, usize)> {
        let (_, range) = self.variables.iter().find(|(variable, _)| variable == name)?;
        Some((self.pages.base() + range.start - self.section.start, range.len()))
    }
}

impl Drop for Globals {
    fn drop(&mut self) {
        // It may have been freed with everything else of its device.
        let _ = registry::free(self.pages.base(), |_| true);
    }
}
