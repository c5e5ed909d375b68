//! What a module's shared object would run when it is loaded or unloaded. Compiling and loading are safe to call, so no code of the
//! source may run then.

use super::elf::{DYNAMIC_SYMBOLS, Reader, SYMBOL_TABLE, Section, Segment, Symbol};
use super::sanitize::Sanitizer;

/// Tags of what the loader calls: the functions themselves, then lists of functions and their lengths.
const FUNCTIONS: [usize; 2] = [12, 13];
const LISTS: [(usize, usize); 3] = [(25, 27), (26, 28), (32, 33)];

/// Refuses objects with static constructors or destructors, except those of the sanitizers.
pub(crate) fn check(object: &[u8], sanitizer: Option<Sanitizer>) -> Result<(), String> {
    let reader = Reader::of(object)?;
    let mut found = reader.read(found)?;
    found.retain(|name| !sanitizer.is_some_and(|sanitizer| sanitizer.owns(name)));
    if found.is_empty() {
        return Ok(());
    }
    Err(format!(
        "static constructors and destructors are not supported, but the module has {}: initialise global objects with \
         constants, or make them local to a kernel",
        found.join(", ")
    ))
}

/// The names of all functions that the loader would call.
fn found(reader: &Reader) -> Option<Vec<String>> {
    let (sections, segments) = (reader.sections()?, reader.segments()?);
    let (symbols, dynamic) = (symbols(reader, &sections)?, reader.dynamic(&segments)?);
    let value = |tag: usize| dynamic.iter().find(|(known, _)| *known == tag).map(|(_, value)| *value);
    let mut names: Vec<String> =
        FUNCTIONS.iter().filter_map(|&tag| value(tag)).map(|address| name(&symbols, address)).collect();
    for (list, length) in LISTS {
        let (Some(start), Some(length)) = (value(list), value(length)) else { continue };
        for at in (0..length / 8).map(|index| index * 8) {
            let address = entry(reader, &sections, &segments, start.checked_add(at)?)?;
            names.push(name(&symbols, address));
        }
    }
    names.extend(resolvers(&symbols));
    names.extend(destructors(&symbols));
    names.sort();
    names.dedup();
    Some(names)
}

fn symbols<'a>(reader: &Reader<'a>, sections: &[Section<'a>]) -> Option<Vec<Symbol<'a>>> {
    reader.symbols(sections, &[SYMBOL_TABLE, DYNAMIC_SYMBOLS])
}

/// An entry of a list: a relocation puts it there, else it is there.
fn entry(reader: &Reader, sections: &[Section], segments: &[Segment], at: usize) -> Option<usize> {
    const LOADED: u32 = 1;
    let relocations = reader.relocations(sections)?;
    if let Some(relocation) = relocations.iter().find(|relocation| relocation.at == at) {
        return Some(relocation.addend);
    }
    let holds = |segment: &&Segment| {
        segment.kind == LOADED && at >= segment.address && at - segment.address < segment.size
    };
    let segment = segments.iter().find(holds)?;
    reader.long(segment.offset.checked_add(at - segment.address)?)
}

fn name(symbols: &[Symbol], address: usize) -> String {
    const FUNCTION: u8 = 2;
    let symbol = symbols.iter().find(|symbol| symbol.kind == FUNCTION && symbol.range.start == address);
    match symbol {
        Some(symbol) => format!("`{}`", String::from_utf8_lossy(symbol.name)),
        None => format!("a function at {address:#x}"),
    }
}

/// Functions that are called to choose between versions of another one.
fn resolvers<'a>(symbols: &'a [Symbol]) -> impl Iterator<Item = String> + 'a {
    const INDIRECT: u8 = 10;
    let indirect = symbols.iter().filter(|symbol| symbol.kind == INDIRECT);
    indirect.map(|symbol| format!("`{}` (an ifunc)", String::from_utf8_lossy(symbol.name)))
}

/// Objects of functions register their destructors when they are made, for a time when the module is gone.
fn destructors<'a>(symbols: &'a [Symbol]) -> impl Iterator<Item = String> + 'a {
    let registers = |symbol: &&Symbol| symbol.section == 0 && symbol.name.starts_with(b"__cxa_atexit");
    symbols
        .iter()
        .filter(registers)
        .take(1)
        .map(|_| "an object with a destructor (`__cxa_atexit`)".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_object() {
        assert!(check(b"", None).is_err());
        assert!(check(b"\x7fELF\x02\x01", None).is_err());
        for byte in 0..=255u8 {
            let mut bytes = b"\x7fELF\x02\x01".to_vec();
            bytes.resize(300, byte);
            let _ = check(&bytes, None);
        }
    }
}
