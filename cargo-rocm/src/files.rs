//! Files of the shadow.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::error::Error;

/// Removes a file, a link or a folder, and nothing that a link leads to.
pub(crate) fn discard(path: &Path) -> Result<(), Error> {
    let removed = match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        // Windows has links of folders.
        Ok(_) => fs::remove_file(path).or_else(|_| fs::remove_dir(path)),
        Err(error) => Err(error),
    };
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::io("remove", path, error)),
        _ => Ok(()),
    }
}

/// The text of a file, if it is there.
pub(crate) fn read(path: &Path) -> Result<Option<String>, Error> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io("read", path, error)),
    }
}

/// Replaces a file as a whole, so that it is never half written.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Error> {
    let mut new = path.to_owned().into_os_string();
    new.push(".new");
    let new = PathBuf::from(new);
    fs::write(&new, text)
        .and_then(|()| fs::rename(&new, path))
        .map_err(|error| Error::io("write", path, error))
}
