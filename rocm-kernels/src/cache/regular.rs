//! Reading files and nothing else: opening a pipe waits for its other end, a device never ends.

use std::fs::{self, File, Metadata};
use std::io::{self, Read as _};
use std::path::Path;

/// Far more than any compiled kernels have, even with a checker's tables.
pub(super) const MOST_BYTES: u64 = 256 << 20;

/// The bytes of a regular file, or of what a link to one leads to.
pub(super) fn read(path: &Path) -> io::Result<Vec<u8>> {
    check(&fs::metadata(path)?)?;
    let file = File::open(path)?;
    // Again, now that it is open: names can be given to other things in between.
    let length = check(&file.metadata()?)?;
    let mut bytes = Vec::with_capacity(length as usize);
    file.take(MOST_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The length of what may be read.
fn check(metadata: &Metadata) -> io::Result<u64> {
    let refuse = |why: String| Err(io::Error::new(io::ErrorKind::InvalidData, why));
    match metadata.len() {
        _ if !metadata.is_file() => refuse("it is not a regular file".to_owned()),
        length if length > MOST_BYTES => {
            refuse(format!("its {length} bytes are more than compiled kernels have ({MOST_BYTES})"))
        }
        length => Ok(length),
    }
}
