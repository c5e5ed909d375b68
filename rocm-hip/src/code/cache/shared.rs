//! Small files beside the kernels that several processes read and change.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::{Cache, regular, temporary};

impl Cache {
    /// Reads the file with this name in the folder. Returns `None` if there is no such file, or if caching is disabled.
    ///
    /// # Errors
    /// The file cannot be read, or is not a regular file.
    pub fn read_file(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        let Some(folder) = &self.folder else { return Ok(None) };
        match regular::read(&folder.join(name)) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory].contains(&error.kind()) => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Replaces the file with this name by what `change` makes of its content, which is `None` if the file is missing or cannot be read.
    /// Concurrent updates by several processes happen one after the other, and readers see either the old or the new content. Does nothing
    /// if caching is disabled.
    ///
    /// # Errors
    /// The folder cannot be created or written to.
    pub fn update_file(&self, name: &str, change: impl FnOnce(Option<Vec<u8>>) -> Vec<u8>) -> io::Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        fs::create_dir_all(folder)?;
        // Held until the end of this function. The file itself is replaced, so it cannot be the lock.
        let _lock = lock(&folder.join(format!(".{name}.lock")))?;
        let content = change(self.read_file(name).unwrap_or_default());
        temporary::write_atomically(folder, name, &content)
    }
}

/// Waits until no other process has this lock. It is released when the file is closed.
fn lock(path: &Path) -> io::Result<File> {
    let file = File::options().create(true).truncate(false).write(true).open(path)?;
    // File systems without locks refuse: then the last writer wins.
    let _ = file.lock();
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn updates_come_one_after_the_other() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::at(folder.path().join("made/when/needed"));
        assert_eq!(cache.read_file("numbers.txt").unwrap(), None);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..25 {
                        let longer = |old: Option<Vec<u8>>| [old.unwrap_or_default(), vec![b'x']].concat();
                        cache.update_file("numbers.txt", longer).unwrap();
                    }
                });
            }
        });
        assert_eq!(cache.read_file("numbers.txt").unwrap(), Some(vec![b'x'; 100]));
        // What is no regular file is replaced if that is possible, and never read.
        fs::create_dir(folder.path().join("folder")).unwrap();
        assert!(Cache::at(folder.path()).read_file("folder").is_err());
        assert!(Cache::at(folder.path()).update_file("folder", |_| vec![]).is_err());
        let disabled = Cache::disabled();
        disabled.update_file("numbers.txt", |_| panic!("nobody keeps it")).unwrap();
        assert_eq!(disabled.read_file("numbers.txt").unwrap(), None);
    }
}
