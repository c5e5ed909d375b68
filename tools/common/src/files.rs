//! What the systems that this compiles on have of permissions, links and locks.

use std::fs::File;
use std::io::Result;
use std::path::Path;

/// Lets the owner, group and others run a file.
#[cfg(unix)]
pub fn make_executable(file: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(file, std::fs::Permissions::from_mode(0o755))
}

/// Files need no permission to run.
#[cfg(not(unix))]
pub fn make_executable(_: &Path) -> Result<()> {
    Ok(())
}

/// Makes `link` lead to `target`.
#[cfg(unix)]
pub fn symlink(target: &str, link: &Path) -> Result<()> {
    std::os::unix::fs::symlink(target, link)
}

#[cfg(not(unix))]
pub fn symlink(_: &str, _: &Path) -> Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}

/// Waits until no other process holds the file; it is held until it is closed.
#[cfg(unix)]
pub fn lock(file: &File) -> Result<()> {
    use std::os::fd::AsRawFd;
    // SAFETY: flock takes an open descriptor, which `file` keeps open, and touches no memory of ours.
    let status = unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX) };
    if status == 0 { Ok(()) } else { Err(std::io::Error::last_os_error()) }
}

#[cfg(not(unix))]
pub fn lock(_: &File) -> Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}
