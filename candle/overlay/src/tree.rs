//! File trees: read from a crate or a folder, written to a folder.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Component, Path, PathBuf};

use crate::Error;

/// Files by their path relative to a root.
pub(crate) type Tree = BTreeMap<PathBuf, Vec<u8>>;

/// Unpacks the files of a `.crate`, which are all in the folder `root`.
pub(crate) fn unpack(file: &Path, bytes: &[u8], root: &str) -> Result<Tree, Error> {
    let failed = |error| Error::io("unpack", file, error);
    let mut tree = Tree::new();
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(bytes));
    for entry in archive.entries().map_err(failed)? {
        let mut entry = entry.map_err(failed)?;
        let path = entry.path().map_err(failed)?.into_owned();
        let inner = path.strip_prefix(root).ok();
        let plain = |path: &Path| path.components().all(|part| matches!(part, Component::Normal(_)));
        let Some(inner) = inner.filter(|inner| plain(inner)) else {
            return Err(Error::new(format!("{}: {} is not below {root}", file.display(), path.display())));
        };
        let (inner, mut content) = (inner.to_owned(), Vec::new());
        if entry.header().entry_type().is_file() {
            entry.read_to_end(&mut content).map_err(failed)?;
            tree.insert(inner, content);
        }
    }
    Ok(tree)
}

/// All files in a folder and its subfolders; none if the folder does not exist.
#[cfg(any(test, feature = "command"))]
pub(crate) fn read(root: &Path) -> Result<Tree, Error> {
    let mut tree = Tree::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for entry in entries {
            let path = entry.map_err(|error| Error::io("list", &folder, error))?.path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(inner) = path.strip_prefix(root) {
                let bytes = std::fs::read(&path).map_err(|error| Error::io("read", &path, error))?;
                tree.insert(inner.to_owned(), bytes);
            }
        }
    }
    Ok(tree)
}

/// Atomically replaces a folder with the tree that belongs to the stamp, by writing a temporary folder and renaming it. Concurrent
/// processes wait and then find the folder up to date.
pub(crate) fn replace(
    folder: &Path,
    stamp: &str,
    make: impl FnOnce() -> Result<Tree, Error>,
) -> Result<(), Error> {
    let is_current = || std::fs::read_to_string(folder.join(STAMP)).is_ok_and(|found| found == stamp);
    if is_current() {
        return Ok(());
    }
    let _lock = lock(folder)?;
    if is_current() {
        return Ok(());
    }
    let mut tree = make()?;
    tree.insert(STAMP.into(), stamp.into());
    let temporary = folder.with_extension(format!("{}.new", std::process::id()));
    remove(&temporary)?;
    write(&tree, &temporary)?;
    remove(folder)?;
    std::fs::rename(&temporary, folder).map_err(|error| Error::io("rename", &temporary, error))
}

const STAMP: &str = ".stamp";

/// Takes the lock, which is held until the file is dropped.
fn lock(folder: &Path) -> Result<File, Error> {
    let path = folder.with_extension("lock");
    let failed = |error| Error::io("lock", &path, error);
    std::fs::create_dir_all(path.parent().unwrap_or(&path)).map_err(failed)?;
    let file = File::options().create(true).truncate(false).write(true).open(&path).map_err(failed)?;
    match file.lock() {
        // Some network file systems do not support locks; cargo does without them there too.
        Err(error) if error.kind() == ErrorKind::Unsupported => Ok(file),
        locked => locked.map(|()| file).map_err(failed),
    }
}

fn remove(folder: &Path) -> Result<(), Error> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::io("remove", folder, error)),
        _ => Ok(()),
    }
}

/// Writes the files into a folder, creating folders as needed.
pub(crate) fn write(tree: &Tree, root: &Path) -> Result<(), Error> {
    for (path, bytes) in tree {
        let file = root.join(path);
        std::fs::create_dir_all(file.parent().unwrap_or(root))
            .and_then(|()| std::fs::write(&file, bytes))
            .map_err(|error| Error::io("write", &file, error))?;
    }
    Ok(())
}
