//! A code object's memory image: its segments at the addresses it asks for, relative to one base.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;

use object::read::elf::{ElfFile64, FileHeader as _, ProgramHeader as _, Rela as _, SectionHeader as _};
use object::{Endianness, elf};

use super::{LoadError, invalid};
use crate::machine::memory::Region;

/// The largest accepted image.
const MOST: u64 = 1 << 30;
const PAGE: usize = 4096;

/// `R_AMDGPU_ABS64`, `R_AMDGPU_RELATIVE64` ("Relocation Records" in LLVM's user guide for AMDGPU).
const ABS64: elf::RelocationType = elf::RelocationType(3);
const RELATIVE64: elf::RelocationType = elf::RelocationType(13);

/// The image. Its memory is only used through addresses, by kernels and by copies of the program.
pub(crate) struct Image {
    memory: NonNull<u8>,
    layout: Layout,
    regions: Vec<Region>,
}

// SAFETY: after `load` nothing refers to the memory but addresses, as to any device memory.
unsafe impl Send for Image {}
// SAFETY: as above.
unsafe impl Sync for Image {}

impl Image {
    /// Copies the segments of a code object, and relocates them.
    pub(super) fn load(elf: &ElfFile64<'_, Endianness>) -> Result<Self, LoadError> {
        let (endian, data) = (elf.endian(), elf.data());
        let broken =
            |error: object::Error| LoadError::Invalid(format!("its program headers are damaged: {error}"));
        let headers = elf.elf_header().program_headers(endian, data).map_err(broken)?;
        let segments: Vec<_> =
            headers.iter().filter(|header| header.p_type(endian) == elf::PT_LOAD).collect();
        let end = |header: &&elf::ProgramHeader64<Endianness>| {
            header.p_vaddr(endian).checked_add(header.p_memsz(endian))
        };
        let ends: Option<Vec<u64>> = segments.iter().map(end).collect();
        let size = match ends.map(|ends| ends.into_iter().max().unwrap_or(0)) {
            Some(size) if size > 0 && size <= MOST => size as usize,
            _ => return invalid("its segments have no size, or too large a one"),
        };
        let Ok(layout) = Layout::from_size_align(size, PAGE) else {
            return invalid("its segments are too large");
        };
        // SAFETY: the layout is not empty.
        let Some(memory) = NonNull::new(unsafe { alloc_zeroed(layout) }) else { handle_alloc_error(layout) };
        let mut image = Self { memory, layout, regions: Vec::new() };
        for header in segments {
            let Ok(bytes) = header.data(endian, data) else { return invalid("a segment is cut off") };
            let start = header.p_vaddr(endian) as usize;
            let Some(to) = image.all().get_mut(start..).and_then(|to| to.get_mut(..bytes.len())) else {
                return invalid("a segment's contents are longer than the segment");
            };
            to.copy_from_slice(bytes);
            let address = image.base() + start as u64;
            let writable = header.p_flags(endian).contains(elf::PF_W);
            image.regions.push(Region {
                addresses: address..address + header.p_memsz(endian),
                writable,
                watched: true,
                description: format!(
                    "a {} segment of the module",
                    if writable { "data" } else { "read-only" }
                ),
            });
        }
        image.relocate(elf)?;
        Ok(image)
    }

    fn relocate(&mut self, elf: &ElfFile64<'_, Endianness>) -> Result<(), LoadError> {
        let (endian, data, base) = (elf.endian(), elf.data(), self.base());
        let broken =
            |error: object::Error| LoadError::Invalid(format!("its relocations are damaged: {error}"));
        let sections = elf.elf_header().section_headers(endian, data).map_err(broken)?;
        for section in sections {
            let Some((entries, link)) = section.rela(endian, data).map_err(broken)? else { continue };
            let symbols = elf.elf_header().sections(endian, data).map_err(broken)?;
            let symbols = symbols.symbol_table_by_index(endian, data, link).map_err(broken)?;
            for entry in entries {
                let addend = entry.r_addend(endian) as u64;
                let value = match entry.r_type(endian, false) {
                    RELATIVE64 => base.wrapping_add(addend),
                    ABS64 => {
                        use object::read::elf::Sym as _;
                        let index = object::SymbolIndex(entry.r_sym(endian, false) as usize);
                        let symbol = symbols.symbol(index).map_err(broken)?;
                        base.wrapping_add(symbol.st_value(endian)).wrapping_add(addend)
                    }
                    kind => {
                        return invalid(format!(
                            "it has a relocation of type {}, which the loader does not know",
                            kind.0
                        ));
                    }
                };
                let at = entry.r_offset(endian) as usize;
                let Some(to) = self.all().get_mut(at..).and_then(|to| to.get_mut(..8)) else {
                    return invalid("a relocation lies outside the image");
                };
                to.copy_from_slice(&value.to_le_bytes());
            }
        }
        Ok(())
    }

    /// Where the object's address 0 lies.
    pub(crate) fn base(&self) -> u64 {
        self.memory.as_ptr() as u64
    }

    /// Its size in bytes.
    pub(crate) fn size(&self) -> usize {
        self.layout.size()
    }

    /// Its segments.
    pub(crate) fn regions(&self) -> &[Region] {
        &self.regions
    }

    /// Bytes at an address of the object, before any kernel runs.
    pub(super) fn bytes(&self, address: u64, len: usize) -> Option<&[u8]> {
        // SAFETY: memory of this size; kernels that could write to it are not yet known to anyone.
        let all = unsafe { std::slice::from_raw_parts(self.memory.as_ptr(), self.layout.size()) };
        all.get(usize::try_from(address).ok()?..)?.get(..len)
    }

    fn all(&mut self) -> &mut [u8] {
        // SAFETY: memory of this size, which nobody else knows yet.
        unsafe { std::slice::from_raw_parts_mut(self.memory.as_ptr(), self.layout.size()) }
    }
}

impl Drop for Image {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout.
        unsafe { dealloc(self.memory.as_ptr(), self.layout) };
    }
}
