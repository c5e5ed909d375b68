//! A cache folder of the benchmarks' own: what they measure, small shapes among it, must not choose kernels for the user's programs.

use std::path::{Path, PathBuf};
use std::{fs, process};

use anyhow::{Context, Result};
use rocm_kernels::Cache;

/// Removed when dropped.
pub(super) struct OwnCache(PathBuf);

impl OwnCache {
    /// Without choices, but with the kernels that the user's cache has.
    pub(super) fn new() -> Result<Self> {
        Self::with_kernels_of(Cache::user().folder(), &Self::place())
    }

    /// Where this process has it.
    pub(super) fn place() -> PathBuf {
        std::env::temp_dir().join(format!("candle-rocm-card-cache-{}", process::id()))
    }

    fn with_kernels_of(user: Option<&Path>, folder: &Path) -> Result<Self> {
        fs::create_dir_all(folder).with_context(|| format!("{} cannot be created", folder.display()))?;
        for entry in user.and_then(|user| fs::read_dir(user).ok()).into_iter().flatten().flatten() {
            let (from, to) = (entry.path(), folder.join(entry.file_name()));
            if from.extension().is_some_and(|end| end == "kernels") && fs::hard_link(&from, &to).is_err() {
                // On another file system. One that cannot be copied is compiled again.
                let _ = fs::copy(&from, &to);
            }
        }
        Ok(Self(folder.to_owned()))
    }

    pub(super) fn folder(&self) -> &Path {
        &self.0
    }
}

impl Drop for OwnCache {
    fn drop(&mut self) {
        // It is in the folder for temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_are_shared_and_choices_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let (user, own) = (folder.path().join("user"), folder.path().join("own"));
        fs::create_dir(&user).unwrap();
        fs::write(user.join("affine-host-wave32-0-1.kernels"), "code").unwrap();
        fs::write(user.join("tuning-host.txt"), "choices").unwrap();
        let cache = OwnCache::with_kernels_of(Some(&user), &own).unwrap();
        let names =
            || fs::read_dir(&own).unwrap().map(|entry| entry.unwrap().file_name()).collect::<Vec<_>>();
        assert_eq!(names(), ["affine-host-wave32-0-1.kernels"]);
        fs::write(cache.folder().join("tuning-host.txt"), "others").unwrap();
        drop(cache);
        assert!(!own.exists());
        assert_eq!(fs::read_to_string(user.join("tuning-host.txt")).unwrap(), "choices");
        assert_eq!(fs::read_to_string(user.join("affine-host-wave32-0-1.kernels")).unwrap(), "code");
    }
}
