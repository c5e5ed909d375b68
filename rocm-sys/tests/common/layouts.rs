//! Fake installations of ROCm, from lists of the files of real ones.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

pub(crate) const CLASSIC: &str = include_str!("../layouts/classic.txt");
pub(crate) const CORE: &str = include_str!("../layouts/core.txt");
pub(crate) const BESIDE: &str = include_str!("../layouts/beside.txt");
pub(crate) const PIP: &str = include_str!("../layouts/pip.txt");

/// Makes the files below a folder; absolute links lead to below it too. Each file that `content` knows the text of by its
/// path has it, the others are empty.
pub(crate) fn plant(root: &Path, list: &str, content: impl Fn(&str) -> Option<PathBuf>) {
    for line in list.lines().filter(|line| !line.starts_with('#')) {
        if let Some((path, target)) = line.split_once(" -> ") {
            let link = made(root, path);
            let target =
                target.strip_prefix('/').map_or_else(|| PathBuf::from(target), |rest| root.join(rest));
            symlink(target, link).unwrap();
        } else if let Some((path, text)) = line.split_once(" = ") {
            fs::write(made(root, path), format!("{text}\n")).unwrap();
        } else if let Some(original) = content(line) {
            fs::copy(original, made(root, line)).unwrap();
        } else {
            fs::write(made(root, line), "").unwrap();
        }
    }
}

/// The path, with its folder there.
fn made(root: &Path, path: &str) -> PathBuf {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    path
}
