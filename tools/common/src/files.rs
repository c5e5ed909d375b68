//! What the systems that this compiles on have of permissions and links.

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

/// Always an error: only Unix lets everybody make links.
#[cfg(not(unix))]
pub fn symlink(_: &str, _: &Path) -> Result<()> {
    Err(std::io::ErrorKind::Unsupported.into())
}
