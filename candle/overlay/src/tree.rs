//! Trees of files: out of a crate, out of a folder, into a folder.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use crate::Error;

/// Files by their path below a root.
pub type Tree = BTreeMap<PathBuf, Vec<u8>>;

/// The files of a `.crate` below its one folder, `root`.
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

/// All files below a folder; none if there is no such folder.
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

/// Makes a folder hold exactly these files. Files that are right already keep their times, so cargo compiles no more than
/// it must; the others change at once, so another build that reads them sees the old or the new ones.
pub fn sync(tree: &Tree, root: &Path) -> Result<(), Error> {
    for (path, bytes) in tree {
        let file = root.join(path);
        if std::fs::read(&file).is_ok_and(|found| found == *bytes) {
            continue;
        }
        let folder = file.parent().unwrap_or(root);
        let temporary = folder.join(format!(".{}.tmp", std::process::id()));
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&temporary, bytes))
            .and_then(|()| std::fs::rename(&temporary, &file))
            .map_err(|error| Error::io("write", &file, error))?;
    }
    for path in read(root)?.into_keys().filter(|path| !tree.contains_key(path)) {
        let file = root.join(path);
        // Another build may have been faster.
        if let Err(error) = std::fs::remove_file(&file)
            && error.kind() != std::io::ErrorKind::NotFound
        {
            return Err(Error::io("remove", &file, error));
        }
    }
    Ok(())
}
