//! Where the variables of a module's shared object are.

use std::ops::Range;

use super::elf::{Reader, SYMBOL_TABLE};
use crate::system::PAGE;

/// The names of shared variables with a guard behind them, which the compiler's front end gives, start so.
pub(crate) const GUARDED: &str = "__crh_guarded_";
/// Bytes of a guard.
pub(crate) const GUARD: usize = 128;

/// The variables of a shared object.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Variables {
    /// Shared memory: statics of functions.
    pub(crate) shared: Vec<Range<usize>>,
    /// The bytes behind shared memory that nobody may touch, when it is guarded.
    pub(crate) guards: Vec<Range<usize>>,
    /// The section of variables that all blocks see.
    pub(crate) device: Option<Range<usize>>,
    /// The variables in that section.
    pub(crate) globals: Vec<(String, Range<usize>)>,
}

/// The section of variables that all blocks see.
const DEVICE_SECTION: &[u8] = b"crh_device";

/// Finds the variables of a 64-bit ELF object.
pub(crate) fn variables(object: &[u8]) -> Result<Variables, String> {
    Reader::of(object)?.read(parse)?
}

fn parse(reader: &Reader) -> Option<Result<Variables, String>> {
    const NO_BITS: u32 = 8;
    const ALLOCATED: u64 = 2;
    const OBJECT: u8 = 1;
    let sections = reader.sections()?;
    let mut variables = Variables::default();
    let device = sections.iter().position(|section| section.name == DEVICE_SECTION);
    if let Some(device) = device {
        let section = &sections[device];
        let pages =
            section.address..section.address.checked_add(section.size)?.checked_next_multiple_of(PAGE)?;
        let crowded = sections.iter().enumerate().any(|(index, other)| {
            index != device
                && other.flags & ALLOCATED != 0
                && other.size > 0
                && other.address < pages.end
                && pages.start < other.address.saturating_add(other.size)
        });
        if pages.start % PAGE != 0 || crowded {
            return Some(Err("the linker put __device__ variables on pages with other data".to_owned()));
        }
        variables.device = Some(pages);
    }
    for symbol in reader.symbols(&sections, &[SYMBOL_TABLE])? {
        if symbol.kind != OBJECT || symbol.range.is_empty() {
            continue;
        }
        if Some(symbol.section) == device {
            variables.globals.push((plain(symbol.name), symbol.range));
        } else if symbol.name.starts_with(b"_ZZ")
            && sections.get(symbol.section).is_some_and(|section| section.kind == NO_BITS)
        {
            // A static of a function, and without a value at first: __shared__.
            if symbol.name.windows(GUARDED.len()).any(|part| part == GUARDED.as_bytes()) {
                variables.guards.push(symbol.range.end.saturating_sub(GUARD)..symbol.range.end);
            }
            variables.shared.push(symbol.range);
        }
    }
    Some(Ok(variables))
}

/// The name as in the source: statics are decorated.
fn plain(name: &[u8]) -> String {
    let text = String::from_utf8_lossy(name).into_owned();
    match text.strip_prefix("_ZL") {
        Some(rest) => rest.trim_start_matches(|c: char| c.is_ascii_digit()).to_owned(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_object() {
        assert!(variables(b"").is_err());
        assert!(variables(b"\x7fELF\x02\x01").is_err());
        let mut bytes = b"\x7fELF\x02\x01".to_vec();
        for byte in 0..=255u8 {
            bytes.resize(6, 0);
            bytes.resize(300, byte);
            let _ = variables(&bytes);
        }
    }

    #[test]
    fn names() {
        assert_eq!(plain(b"counter"), "counter");
        assert_eq!(plain(b"_ZL7counter"), "counter");
    }
}
