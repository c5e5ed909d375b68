//! Source lines of instructions, from the line tables of code objects that are compiled at run time.

use addr2line::Context;
use addr2line::gimli::{self, EndianSlice, LittleEndian};
use object::Endianness;
use object::read::elf::ElfFile64;
use object::{Object as _, ObjectSection as _};

use crate::coverage::SourceLine;

/// The line tables of a code object.
pub(crate) struct Lines<'o>(Context<EndianSlice<'o, LittleEndian>>);

impl<'o> Lines<'o> {
    /// `None` without line tables.
    pub(crate) fn new(object: &'o [u8]) -> Option<Self> {
        let elf = ElfFile64::<Endianness>::parse(object).ok()?;
        let section = |id: gimli::SectionId| {
            let data = elf.section_by_name(id.name()).and_then(|section| section.data().ok());
            Ok::<_, gimli::Error>(EndianSlice::new(data.unwrap_or_default(), LittleEndian))
        };
        elf.section_by_name(gimli::SectionId::DebugLine.name())?;
        Context::from_dwarf(gimli::Dwarf::load(section).ok()?).ok().map(Self)
    }

    /// The line that the instruction at an address is made of, and the calls that the compiler inlined, innermost first. Empty for
    /// instructions that belong to no line.
    pub(crate) fn of(&self, address: u64) -> Vec<SourceLine> {
        let mut lines = Vec::new();
        let Ok(mut frames) = self.0.find_frames(address).skip_all_loads() else { return lines };
        while let Ok(Some(frame)) = frames.next() {
            let Some(location) = frame.location else { continue };
            if let (Some(file), Some(line)) = (location.file, location.line.filter(|&line| line > 0)) {
                // The compiler may be told to name files from its temporary folder.
                lines.push(SourceLine { file: file.trim_start_matches("./").to_owned(), line });
            }
        }
        lines
    }
}
