//! Reads 64-bit little-endian ELF objects. Nothing in them is trusted: what lies outside the object is `None`.

use std::ops::Range;

pub(super) struct Section<'a> {
    pub(super) name: &'a [u8],
    pub(super) kind: u32,
    pub(super) flags: u64,
    pub(super) address: usize,
    pub(super) size: usize,
    pub(super) offset: usize,
    pub(super) link: usize,
}

/// A function, a variable, or anything else with a name.
pub(super) struct Symbol<'a> {
    pub(super) name: &'a [u8],
    pub(super) kind: u8,
    pub(super) section: usize,
    pub(super) range: Range<usize>,
}

/// A part of the object that the loader maps or reads.
#[cfg_attr(not(any(windows, test)), expect(dead_code, reason = "all of it is for our own loader"))]
pub(super) struct Segment {
    pub(super) kind: u32,
    pub(super) flags: u32,
    pub(super) offset: usize,
    pub(super) address: usize,
    /// In the object.
    pub(super) size: usize,
    /// In memory, where zeros follow.
    pub(super) memory: usize,
}

/// A place in the loaded object that is to hold an address.
#[cfg_attr(not(any(windows, test)), expect(dead_code, reason = "all of it is for our own loader"))]
pub(super) struct Relocation {
    pub(super) at: usize,
    pub(super) kind: u32,
    /// The index of the symbol whose address it is.
    pub(super) symbol: usize,
    pub(super) addend: usize,
}

/// The kinds of sections that have symbols: the linker's, and the loader's.
pub(super) const SYMBOL_TABLE: u32 = 2;
pub(super) const DYNAMIC_SYMBOLS: u32 = 11;

pub(super) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    /// For an object of the right kind.
    pub(super) fn of(object: &'a [u8]) -> Result<Self, String> {
        match object.starts_with(b"\x7fELF\x02\x01") {
            true => Ok(Self(object)),
            false => Err("not a 64-bit ELF object".to_owned()),
        }
    }

    /// What `part` finds, unless the object is damaged.
    pub(super) fn read<T>(&self, part: impl FnOnce(&Self) -> Option<T>) -> Result<T, String> {
        part(self).ok_or_else(|| "damaged ELF object".to_owned())
    }

    fn bytes(&self, at: usize, len: usize) -> Option<&'a [u8]> {
        self.0.get(at..at.checked_add(len)?)
    }

    fn half(&self, at: usize) -> Option<usize> {
        Some(u16::from_le_bytes(self.bytes(at, 2)?.try_into().ok()?).into())
    }

    fn word(&self, at: usize) -> Option<u32> {
        Some(u32::from_le_bytes(self.bytes(at, 4)?.try_into().ok()?))
    }

    pub(super) fn long(&self, at: usize) -> Option<usize> {
        usize::try_from(u64::from_le_bytes(self.bytes(at, 8)?.try_into().ok()?)).ok()
    }

    fn text(&self, at: usize) -> Option<&'a [u8]> {
        let rest = self.0.get(at..)?;
        Some(&rest[..rest.iter().position(|&byte| byte == 0)?])
    }

    pub(super) fn sections(&self) -> Option<Vec<Section<'a>>> {
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

    /// The symbols of all tables of these kinds.
    pub(super) fn symbols(&self, sections: &[Section<'a>], kinds: &[u32]) -> Option<Vec<Symbol<'a>>> {
        const SYMBOL: usize = 24;
        let mut symbols = Vec::new();
        for table in sections.iter().filter(|section| kinds.contains(&section.kind)) {
            let names = sections.get(table.link)?.offset;
            for index in 0..table.size / SYMBOL {
                let at = table.offset.checked_add(index * SYMBOL)?;
                let address = self.long(at + 8)?;
                symbols.push(Symbol {
                    name: self.text(names.checked_add(self.word(at)? as usize)?)?,
                    kind: *self.0.get(at + 4)? & 15,
                    section: self.half(at + 6)?,
                    range: address..address.checked_add(self.long(at + 16)?)?,
                });
            }
        }
        Some(symbols)
    }

    /// What the loader writes, of all tables that it reads.
    pub(super) fn relocations(&self, sections: &[Section]) -> Option<Vec<Relocation>> {
        const RELOCATIONS: u32 = 4;
        const LOADED: u64 = 2;
        const RELOCATION: usize = 24;
        let mut relocations = Vec::new();
        let read = |section: &&Section| section.kind == RELOCATIONS && section.flags & LOADED != 0;
        for table in sections.iter().filter(read) {
            for index in 0..table.size / RELOCATION {
                let at = table.offset.checked_add(index * RELOCATION)?;
                relocations.push(Relocation {
                    at: self.long(at)?,
                    kind: self.word(at + 8)?,
                    symbol: self.word(at + 12)? as usize,
                    addend: self.long(at + 16)?,
                });
            }
        }
        Some(relocations)
    }

    pub(super) fn segments(&self) -> Option<Vec<Segment>> {
        let (start, size, count) = (self.long(32)?, self.half(54)?, self.half(56)?);
        (0..count)
            .map(|index| {
                let at = start.checked_add(index.checked_mul(size)?)?;
                Some(Segment {
                    kind: self.word(at)?,
                    flags: self.word(at.checked_add(4)?)?,
                    offset: self.long(at.checked_add(8)?)?,
                    address: self.long(at + 16)?,
                    size: self.long(at + 32)?,
                    memory: self.long(at + 40)?,
                })
            })
            .collect()
    }

    /// What the loader reads: tags and values.
    pub(super) fn dynamic(&self, segments: &[Segment]) -> Option<Vec<(usize, usize)>> {
        const DYNAMIC: u32 = 2;
        const ENTRY: usize = 16;
        let Some(dynamic) = segments.iter().find(|segment| segment.kind == DYNAMIC) else {
            return Some(Vec::new());
        };
        (0..dynamic.size / ENTRY)
            .map(|index| {
                let at = dynamic.offset.checked_add(index * ENTRY)?;
                Some((self.long(at)?, self.long(at + 8)?))
            })
            .collect()
    }
}
