//! Fake ROCm installations, created from file lists of real ones.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

pub(crate) const CLASSIC: &str = include_str!("../layouts/classic.txt");
pub(crate) const CORE: &str = include_str!("../layouts/core.txt");
pub(crate) const BESIDE: &str = include_str!("../layouts/beside.txt");
pub(crate) const PIP: &str = include_str!("../layouts/pip.txt");

/// Creates the listed files in a folder. Absolute links are redirected into it. A file is a copy of the one that `content` returns
/// for its path, or else empty.
pub(crate) fn create(root: &Path, list: &str, content: impl Fn(&str) -> Option<PathBuf>) {
    for line in list.lines().filter(|line| !line.starts_with('#')) {
        if let Some((path, target)) = line.split_once(" -> ") {
            let link = with_parent(root, path);
            let target =
                target.strip_prefix('/').map_or_else(|| PathBuf::from(target), |rest| root.join(rest));
            symlink(target, link).unwrap();
        } else if let Some((path, text)) = line.split_once(" = ") {
            fs::write(with_parent(root, path), format!("{text}\n")).unwrap();
        } else if let Some(original) = content(line) {
            fs::copy(original, with_parent(root, line)).unwrap();
        } else {
            fs::write(with_parent(root, line), "").unwrap();
        }
    }
}

/// The path below `root`, whose parent folder is created.
fn with_parent(root: &Path, path: &str) -> PathBuf {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    path
}
