//! The operating system's shared-library loader.

use std::path::{Path, PathBuf};

use crate::roots::System;
use crate::{elf, pe};

#[cfg(target_os = "linux")]
#[path = "loader/linux.rs"]
mod system;
#[cfg(not(any(target_os = "linux", windows)))]
#[path = "loader/other.rs"]
mod system;
#[cfg(windows)]
#[path = "loader/windows.rs"]
mod system;

pub use system::file_of;
pub(crate) use system::{Handle, system_folder};

/// Returns an error that says why if opening the file would be unsafe, or can only fail.
pub(crate) fn check(path: &Path) -> Result<(), String> {
    match System::THIS {
        System::Linux => elf::check(path),
        System::Windows => pe::check(path),
    }
}

/// The folders that the loader searches for bare names, as far as known: `LD_LIBRARY_PATH`, then the usual ones.
pub(crate) fn folders() -> Vec<PathBuf> {
    let listed = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let usual = ["/usr/local/lib", "/lib64", "/usr/lib64", "/usr/lib"].map(PathBuf::from);
    let multiarch = format!("/usr/lib/{}-linux-gnu", std::env::consts::ARCH);
    let listed: Vec<PathBuf> =
        std::env::split_paths(&listed).filter(|folder| !folder.as_os_str().is_empty()).collect();
    listed.into_iter().chain([PathBuf::from(multiarch)]).chain(usual).collect()
}

/// The file that the loader would open. For a bare name, on Linux the first match in [`folders`].
pub(crate) fn resolve(path: &Path) -> Option<PathBuf> {
    if path.components().count() > 1 || System::THIS == System::Windows {
        return Some(path.to_owned());
    }
    folders().into_iter().map(|folder| folder.join(path)).find(|file| file.exists())
}
