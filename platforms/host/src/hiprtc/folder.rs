//! The temporary folder of a compilation, and cleaning up after processes that were killed.

use std::fs::{self, DirEntry, File};
use std::io;
use std::path::Path;
use std::sync::Once;
use std::time::Duration;

use tempfile::TempDir;

const PREFIX: &str = "candle-rocm-host-";

/// Longer than it takes to lock a new folder.
const STALE: Duration = Duration::from_secs(60);
/// For filesystems without locks, such as some network filesystems.
const STALE_IN_ANY_CASE: Duration = Duration::from_secs(24 * 60 * 60);

/// A folder that is removed when dropped, or by a later process.
pub(super) struct Folder {
    folder: TempDir,
    /// Marks the folder as in use: the lock ends with the process, however that ends.
    _lock: File,
}

impl Folder {
    pub(super) fn new() -> io::Result<Self> {
        static CLEAR: Once = Once::new();
        CLEAR.call_once(|| clear(&std::env::temp_dir()));
        let folder = tempfile::Builder::new().prefix(PREFIX).tempdir()?;
        let lock = File::open(folder.path())?;
        // Without the lock, the folder is removed a day later.
        let _ = try_lock(&lock);
        Ok(Self { folder, _lock: lock })
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Removes the folders of processes that were killed.
fn clear(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let ours = entry.file_name().to_str().is_some_and(|name| name.starts_with(PREFIX));
        if ours && is_stale(&entry) {
            // It may belong to another user, or another process may be faster.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn is_stale(entry: &DirEntry) -> bool {
    // Of the entry itself: a link to a folder is not ours.
    let Ok(metadata) = entry.metadata() else { return false };
    let age = metadata.modified().ok().and_then(|modified| modified.elapsed().ok()).unwrap_or_default();
    let unlocked = || match File::open(entry.path()).and_then(|folder| try_lock(&folder)) {
        Ok(()) => true,
        Err(error) => age > STALE_IN_ANY_CASE && error.kind() != io::ErrorKind::WouldBlock,
    };
    metadata.is_dir() && age > STALE && unlocked()
}

fn try_lock(folder: &File) -> io::Result<()> {
    Ok(folder.try_lock()?)
}

#[cfg(all(test, unix))]
mod tests {
    use std::time::SystemTime;

    use super::*;

    fn age(folder: &Path, minutes: u64) {
        let modified = SystemTime::now() - Duration::from_secs(60 * minutes);
        File::open(folder).and_then(|folder| folder.set_modified(modified)).unwrap();
    }

    #[test]
    fn folders_of_dead_processes_are_cleared() {
        let parent = tempfile::tempdir().unwrap();
        let at = |name: &str| parent.path().join(format!("{PREFIX}{name}"));
        for name in ["old", "new", "locked", "dead"] {
            fs::create_dir_all(at(name).join("user")).unwrap();
            age(&at(name), if name == "new" { 0 } else { 5 });
        }
        fs::create_dir(parent.path().join("another")).unwrap();
        age(&parent.path().join("another"), 5);
        fs::write(at("file"), "").unwrap();
        age(&at("file"), 5);
        std::os::unix::fs::symlink(parent.path().join("another"), at("link")).unwrap();

        let lock = File::open(at("locked")).unwrap();
        try_lock(&lock).unwrap();
        drop(File::open(at("dead")).map(|lock| try_lock(&lock)).unwrap());
        clear(parent.path());
        for (name, stays) in
            [("old", false), ("dead", false), ("new", true), ("locked", true), ("file", true), ("link", true)]
        {
            assert_eq!(fs::symlink_metadata(at(name)).is_ok(), stays, "{name}");
        }
        assert!(parent.path().join("another").exists());
    }

    #[test]
    fn a_folder_in_use_is_locked() {
        let folder = Folder::new().unwrap();
        let error = File::open(folder.path()).and_then(|folder| try_lock(&folder)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
        let path = folder.path().to_owned();
        drop(folder);
        assert!(!path.exists());
    }
}
