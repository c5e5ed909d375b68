//! Temporary files: atomic writes, and the removal of files that killed processes left behind.

use std::collections::BTreeSet;
use std::fs::{self, DirEntry, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::SUFFIX;
use crate::lock::Mutex;

/// Writing takes milliseconds. A process that is not found may run in another container or on another machine that shares the
/// folder.
const STALE: Duration = Duration::from_secs(60);
/// The process id of a killed process may have been reused.
const STALE_IN_ANY_CASE: Duration = Duration::from_secs(24 * 60 * 60);

/// Whether a file can be created. Leaves none.
pub(super) fn probe(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let temporary = unique(folder, &format!("probe{SUFFIX}"));
    File::create(&temporary)?;
    fs::remove_file(&temporary)
}

/// A file of this process that no other thread writes.
fn unique(folder: &Path, name: &str) -> PathBuf {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let unique = COUNTER.fetch_add(1, Ordering::Relaxed);
    folder.join(format!(".{name}.{}.{unique}", process::id()))
}

/// Writes a file atomically: it appears complete or not at all.
pub(super) fn write_atomically(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    let temporary = unique(folder, name);
    let written = File::create(&temporary)
        .and_then(|mut file| file.write_all(bytes))
        .and_then(|()| fs::rename(&temporary, folder.join(name)));
    if written.is_err() {
        // The first error is the one to report; at most a temporary file is left behind.
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Removes what killed processes left behind, once per folder and process.
pub(super) fn clear_once(folder: &Path) {
    static CLEARED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());
    let mut cleared = CLEARED.lock();
    if cleared.insert(folder.to_owned()) {
        clear(folder);
    }
}

fn clear(folder: &Path) {
    // A missing folder is empty; one that cannot be read is reported when a file in it is read.
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let writer = entry.file_name().to_str().and_then(writer);
        if writer.is_some_and(|writer| is_stale(&entry, writer)) {
            // Another process may be faster.
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// The process that writes the temporary file of this name.
fn writer(name: &str) -> Option<u32> {
    let (_, numbers) = name.strip_prefix('.')?.rsplit_once(&format!("{SUFFIX}."))?;
    let (process, unique) = numbers.split_once('.')?;
    unique.parse::<u64>().ok()?;
    process.parse().ok()
}

fn is_stale(entry: &DirEntry, writer: u32) -> bool {
    let modified = entry.metadata().and_then(|metadata| metadata.modified());
    let age = modified.ok().and_then(|modified| modified.elapsed().ok()).unwrap_or_default();
    age > STALE_IN_ANY_CASE || (age > STALE && !may_run(writer))
}

#[cfg(windows)]
use crate::windows::may_run;

/// Where processes cannot be looked up, any may run.
#[cfg(not(windows))]
fn may_run(process: u32) -> bool {
    let list = Path::new("/proc/self");
    !list.exists() || list.with_file_name(process.to_string()).exists()
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use super::*;

    /// A number that no process has: Linux gives none above 2^22.
    const DEAD: u32 = u32::MAX;

    fn left(folder: &Path, name: &str, age: Duration) -> PathBuf {
        let path = folder.join(name);
        let file = File::create(&path).unwrap();
        file.set_modified(SystemTime::now() - age).unwrap();
        path
    }

    #[test]
    fn only_what_dead_processes_left_is_cleared() {
        let folder = tempfile::tempdir().unwrap();
        let minutes = |n: u64| Duration::from_secs(60 * n);
        let (alive, day) = (process::id(), minutes(25 * 60));
        let name = |process: u32| format!(".affine-gfx1100-0-1{SUFFIX}.{process}.7");
        for (name, age, stays) in [
            (name(DEAD), minutes(2), false),
            (name(DEAD), minutes(0), true),
            (name(alive), minutes(2), true),
            (name(alive), day, false),
            (format!("affine-gfx1100-0-1{SUFFIX}"), day, true),
            (format!("affine-gfx1100-0-1{SUFFIX}.{DEAD}.7"), day, true),
            (format!(".somebody-elses.{DEAD}.7"), day, true),
            (format!(".affine{SUFFIX}.{DEAD}.x"), day, true),
        ] {
            let path = left(folder.path(), &name, age);
            clear(folder.path());
            assert_eq!(path.exists(), stays, "{name}, {age:?} old");
            let _ = fs::remove_file(path);
        }
        clear(&folder.path().join("missing"));
    }
}
