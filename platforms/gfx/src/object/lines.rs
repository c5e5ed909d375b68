//! Source lines of instructions, from the line tables of code objects that are compiled at run time.

use addr2line::gimli::{self, EndianSlice, LittleEndian};
use addr2line::{Context, Location};
use object::Endianness;
use object::read::elf::ElfFile64;
use object::{Object as _, ObjectSection as _};

/// The line that an instruction is made of, and the calls that the compiler inlined, innermost first:
/// `reduce.h:31, inlined into softmax.hip:80`. `None` without a line table.
pub(crate) fn line_of(object: &[u8], address: u64) -> Option<String> {
    let elf = ElfFile64::<Endianness>::parse(object).ok()?;
    let section = |id: gimli::SectionId| {
        let data = elf.section_by_name(id.name()).and_then(|section| section.data().ok());
        Ok::<_, gimli::Error>(EndianSlice::new(data.unwrap_or_default(), LittleEndian))
    };
    let lines = Context::from_dwarf(gimli::Dwarf::load(section).ok()?).ok()?;
    let mut frames = lines.find_frames(address).skip_all_loads().ok()?;
    let mut all = Vec::new();
    while let Some(frame) = frames.next().ok()? {
        all.extend(frame.location.as_ref().and_then(text));
    }
    (!all.is_empty()).then(|| all.join(", inlined into "))
}

fn text(location: &Location<'_>) -> Option<String> {
    // The compiler is told to name files from its temporary folder.
    let file = location.file?.trim_start_matches("./");
    Some(format!("{file}:{}", location.line?))
}
