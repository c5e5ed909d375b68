//! Reads regular files only: opening a pipe blocks, and a device may never end.

use std::fs::{self, File, Metadata};
use std::io::{self, Read as _};
use std::path::Path;

/// Far larger than any compiled kernels, even with a checker's tables.
pub(super) const MOST_BYTES: u64 = 256 << 20;

/// The content of a regular file; symbolic links are followed.
pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    check(&fs::metadata(path)?)?;
    let file = File::open(path)?;
    // Again, now that it is open: the path may refer to something else by now.
    let length = check(&file.metadata()?)?;
    let mut bytes = Vec::with_capacity(length as usize);
    file.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The length of the file, if it may be read.
fn check(metadata: &Metadata) -> io::Result<u64> {
    let refuse = |why: String| Err(io::Error::new(io::ErrorKind::InvalidData, why));
    match metadata.len() {
        _ if !metadata.is_file() => refuse("it is not a regular file".to_owned()),
        length if length > MOST_BYTES => {
            refuse(format!("its size, {length} bytes, exceeds the limit of {MOST_BYTES} bytes"))
        }
        length => Ok(length),
    }
}
