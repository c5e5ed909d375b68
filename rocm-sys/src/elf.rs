//! Whether a file is a whole ELF library.
//!
//! The loader maps a file before it looks at all of it: of one that is cut off (a download that broke, a full disk), reading
//! the missing pages ends the process with SIGBUS.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// Bytes of the header of a 64-bit file.
const HEADER: usize = 64;
/// Bytes of an entry of the program headers.
const SEGMENT: usize = 56;

/// Why the file must not be given to the loader. What the loader refuses by itself, without mapping it, passes.
pub(crate) fn check(path: &Path) -> Result<(), String> {
    // Before it is opened: opening a FIFO waits for a writer.
    let metadata = std::fs::metadata(path).map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("not a regular file".to_owned());
    }
    let size = metadata.len();
    let mut file = File::open(path).map_err(|error| error.to_string())?;
    let mut header = [0; HEADER];
    let read = file.read(&mut header).map_err(|error| error.to_string())?;
    if read < 4 || header[..4] != *b"\x7fELF" {
        return Err(format!("not an ELF file ({size} bytes)"));
    }
    if read < HEADER {
        return Err(truncated(size, HEADER as u64));
    }
    // 64 bits, little endian: all that ROCm is built for.
    if header[4..6] != [2, 1] {
        return Ok(());
    }
    let needed = extent(&mut file, &header).ok_or_else(|| truncated(size, u64::MAX))?;
    if needed > size { Err(truncated(size, needed)) } else { Ok(()) }
}

/// How long the headers say that the file is; `None` where they cannot be read or overflow.
fn extent(file: &mut File, header: &[u8; HEADER]) -> Option<u64> {
    let (segments, sections) = (number::<8>(header, 32)?, number::<8>(header, 40)?);
    let [segment_size, segment_count, section_size, section_count] =
        [54, 56, 58, 60].map(|at| number::<2>(header, at).unwrap_or(0));
    let mut end = segments.checked_add(segment_size * segment_count)?;
    if sections != 0 {
        end = end.max(sections.checked_add(section_size * section_count)?);
    }
    file.seek(SeekFrom::Start(segments)).ok()?;
    for _ in 0..segment_count {
        let mut segment = vec![0; usize::try_from(segment_size).ok()?.max(SEGMENT)];
        file.read_exact(&mut segment).ok()?;
        let (start, length) = (number::<8>(&segment, 8)?, number::<8>(&segment, 32)?);
        end = end.max(start.checked_add(length)?);
    }
    Some(end)
}

/// The little-endian number of `N` bytes at an offset.
fn number<const N: usize>(bytes: &[u8], at: usize) -> Option<u64> {
    let mut wide = [0; 8];
    wide[..N].copy_from_slice(bytes.get(at..at + N)?);
    Some(u64::from_le_bytes(wide))
}

fn truncated(size: u64, needed: u64) -> String {
    match needed {
        u64::MAX => format!("truncated or damaged: {size} bytes do not hold what its headers describe"),
        _ => format!("truncated: {size} bytes of {needed}; install the package again"),
    }
}
