//! Checks that ELF files are complete.
//!
//! The loader maps a file without checking its length. If the file is truncated (an interrupted download, a full disk), reading
//! a missing page kills the process with SIGBUS.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// Size of the 64-bit ELF header in bytes.
const HEADER_SIZE: usize = 64;
/// Size of a program header in bytes.
const SEGMENT_SIZE: usize = 56;

/// Returns an error if opening the file would be unsafe. Files that the loader rejects without mapping them pass.
pub(crate) fn check(path: &Path) -> Result<(), String> {
    // Checked before opening: opening a FIFO blocks until there is a writer.
    let metadata = std::fs::metadata(path).map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("not a regular file".to_owned());
    }
    let size = metadata.len();
    let mut file = File::open(path).map_err(|error| error.to_string())?;
    let mut header = [0; HEADER_SIZE];
    let read = file.read(&mut header).map_err(|error| error.to_string())?;
    if read < 4 || header[..4] != *b"\x7fELF" {
        return Err(format!("not an ELF file ({size} bytes)"));
    }
    if read < HEADER_SIZE {
        return Err(truncated(size, HEADER_SIZE as u64));
    }
    // ROCm is built for 64-bit little-endian systems only.
    if header[4..6] != [2, 1] {
        return Ok(());
    }
    let needed = extent(&mut file, &header).ok_or_else(|| truncated(size, u64::MAX))?;
    if needed > size { Err(truncated(size, needed)) } else { Ok(()) }
}

/// The file size according to the headers; `None` if they cannot be read or a size overflows.
fn extent(file: &mut File, header: &[u8; HEADER_SIZE]) -> Option<u64> {
    let (segments, sections) = (number::<8>(header, 32)?, number::<8>(header, 40)?);
    let [segment_size, segment_count, section_size, section_count] =
        [54, 56, 58, 60].map(|at| number::<2>(header, at).unwrap_or(0));
    let mut end = segments.checked_add(segment_size * segment_count)?;
    if sections != 0 {
        end = end.max(sections.checked_add(section_size * section_count)?);
    }
    file.seek(SeekFrom::Start(segments)).ok()?;
    for _ in 0..segment_count {
        let mut segment = vec![0; usize::try_from(segment_size).ok()?.max(SEGMENT_SIZE)];
        file.read_exact(&mut segment).ok()?;
        let (start, length) = (number::<8>(&segment, 8)?, number::<8>(&segment, 32)?);
        end = end.max(start.checked_add(length)?);
    }
    Some(end)
}

/// Reads a little-endian number of `N` bytes at an offset.
fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<u64> {
    let mut wide = [0; 8];
    wide[..N].copy_from_slice(bytes.get(at..at + N)?);
    Some(u64::from_le_bytes(wide))
}

fn truncated(size: u64, needed: u64) -> String {
    match needed {
        u64::MAX => format!("truncated or damaged: the headers describe more than the file's {size} bytes"),
        _ => format!("truncated: {size} bytes of {needed}; reinstall the package"),
    }
}

/// The end of a 64-bit little-endian ELF file in memory, including its tables and everything listed in them. A loader that is given an
/// address without a length reads this far. `None` if the tables are truncated.
pub fn elf_end(image: &[u8]) -> Option<u64> {
    /// Offsets in the header of a table's start, entry size and entry count, and offsets in an entry of its contents' start and size.
    struct Table {
        start: usize,
        entry: usize,
        count: usize,
        offset: usize,
        size: usize,
    }
    const SEGMENTS: Table = Table { start: 32, entry: 54, count: 56, offset: 8, size: 32 };
    const SECTIONS: Table = Table { start: 40, entry: 58, count: 60, offset: 24, size: 32 };
    /// The type (at offset 4) of sections that have a size but no contents in the file.
    const NOBITS: u64 = 8;
    let field = |at: usize, size: usize| {
        let bytes = image.get(at..at.checked_add(size)?)?;
        Some(bytes.iter().rev().fold(0, |value: u64, &byte| value << 8 | u64::from(byte)))
    };

    let mut end = HEADER_SIZE as u64;
    for table in [SEGMENTS, SECTIONS] {
        let (start, size, count) = (field(table.start, 8)?, field(table.entry, 2)?, field(table.count, 2)?);
        end = end.max(start.saturating_add(size * count));
        for index in 0..count {
            let entry = usize::try_from(start.checked_add(index * size)?).ok()?;
            let at = |byte: usize| entry.checked_add(byte);
            if table.start == SECTIONS.start && field(at(4)?, 4)? == NOBITS {
                continue;
            }
            end = end.max(field(at(table.offset)?, 8)?.saturating_add(field(at(table.size)?, 8)?));
        }
    }
    Some(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elf_end_includes_the_last_byte() {
        // A segment of 8 bytes; a section of 16 bytes, which is at the end; a section without contents.
        let mut elf = vec![0; 512];
        let mut write = |at: usize, value: u64, size: usize| {
            elf[at..at + size].copy_from_slice(&value.to_le_bytes()[..size]);
        };
        for (at, value, size) in [(0, 0x2_464c_457f, 5), (32, 64, 8), (54, 56, 2), (56, 1, 2)] {
            write(at, value, size);
        }
        write(72, 120, 8);
        write(96, 8, 8);
        for (at, value, size) in [(40, 128, 8), (58, 64, 2), (60, 2, 2)] {
            write(at, value, size);
        }
        for (at, value, size) in [(128 + 4, 1, 4), (128 + 24, 496, 8), (128 + 32, 16, 8)] {
            write(at, value, size);
        }
        for (at, value, size) in [(192 + 4, 8, 4), (192 + 24, 500, 8), (192 + 32, 1 << 40, 8)] {
            write(at, value, size);
        }
        assert_eq!(elf_end(&elf), Some(512));
        for len in 0..512 {
            assert!(elf_end(&elf[..len]).is_none_or(|end| end > len as u64), "{len}");
        }
    }
}
