//! What a module's shared object says about itself: where its variables are.

use std::ops::Range;

use crate::hiprtc::{GUARD, GUARDED};

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

const PAGE: usize = 4096;

struct Section<'a> {
    name: &'a [u8],
    kind: u32,
    flags: u64,
    address: usize,
    size: usize,
    offset: usize,
    link: usize,
}

struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn bytes(&self, at: usize, len: usize) -> Option<&'a [u8]> {
        self.0.get(at..at.checked_add(len)?)
    }

    fn half(&self, at: usize) -> Option<usize> {
        Some(u16::from_le_bytes(self.bytes(at, 2)?.try_into().ok()?).into())
    }

    fn word(&self, at: usize) -> Option<u32> {
        Some(u32::from_le_bytes(self.bytes(at, 4)?.try_into().ok()?))
    }

    fn long(&self, at: usize) -> Option<usize> {
        usize::try_from(u64::from_le_bytes(self.bytes(at, 8)?.try_into().ok()?)).ok()
    }

    fn text(&self, at: usize) -> Option<&'a [u8]> {
        let rest = self.0.get(at..)?;
        Some(&rest[..rest.iter().position(|&byte| byte == 0)?])
    }

    fn sections(&self) -> Option<Vec<Section<'a>>> {
        let (start, size, count, names) = (self.long(40)?, self.half(58)?, self.half(60)?, self.half(62)?);
        let header = |index: usize| start.checked_add(index.checked_mul(size)?);
        let names = self.long(header(names)?.checked_add(24)?)?;
        (0..count)
            .map(|index| {
                let at = header(index)?;
                Some(Section {
                    name: self.text(names.checked_add(self.word(at)? as usize)?)?,
                    kind: self.word(at + 4)?,
                    flags: self.long(at + 8)? as u64,
                    address: self.long(at + 16)?,
                    offset: self.long(at + 24)?,
                    size: self.long(at + 32)?,
                    link: self.word(at + 40)? as usize,
                })
            })
            .collect()
    }
}

/// Finds the variables of a 64-bit ELF object.
pub(crate) fn variables(object: &[u8]) -> Result<Variables, String> {
    if !object.starts_with(b"\x7fELF\x02\x01") {
        return Err("not a 64-bit ELF object".to_owned());
    }
    parse(&Reader(object)).ok_or_else(|| "a damaged ELF object".to_owned())?
}

fn parse(reader: &Reader) -> Option<Result<Variables, String>> {
    const SYMBOL_TABLE: u32 = 2;
    const NO_BITS: u32 = 8;
    const ALLOCATED: u64 = 2;
    const OBJECT: u8 = 1;
    const SYMBOL: usize = 24;
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
            return Some(Err("the linker did not give __device__ variables pages of their own".to_owned()));
        }
        variables.device = Some(pages);
    }
    for table in sections.iter().filter(|section| section.kind == SYMBOL_TABLE) {
        let names = sections.get(table.link)?.offset;
        for index in 0..table.size / SYMBOL {
            let at = table.offset.checked_add(index * SYMBOL)?;
            let (name, kind, section) = (
                reader.text(names.checked_add(reader.word(at)? as usize)?)?,
                *reader.0.get(at + 4)? & 15,
                reader.half(at + 6)?,
            );
            let (address, size) = (reader.long(at + 8)?, reader.long(at + 16)?);
            let range = address..address.checked_add(size)?;
            if kind != OBJECT || size == 0 {
                continue;
            }
            if Some(section) == device {
                variables.globals.push((plain(name), range));
            } else if name.starts_with(b"_ZZ")
                && sections.get(section).is_some_and(|section| section.kind == NO_BITS)
            {
                // A static of a function, and without a value at first: __shared__.
                if name.windows(GUARDED.len()).any(|part| part == GUARDED.as_bytes()) {
                    variables.guards.push(range.end.saturating_sub(GUARD)..range.end);
                }
                variables.shared.push(range);
            }
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
