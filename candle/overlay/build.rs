//! Makes a table of the files in `seam/`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=seam");
    let variable = |name| PathBuf::from(std::env::var_os(name).expect("cargo sets it"));
    let root = variable("CARGO_MANIFEST_DIR").join("seam");
    let (mut files, mut table) = (Vec::new(), "[\n".to_owned());
    list(&root, &mut files);
    files.sort();
    for file in &files {
        let name = file.strip_prefix(&root).expect("below it").iter().map(|part| part.to_string_lossy());
        let name = name.collect::<Vec<_>>().join("/");
        writeln!(table, "    ({name:?}, include_str!({file:?})),").expect("a string");
    }
    std::fs::write(variable("OUT_DIR").join("seam.rs"), table + "]").expect("write the table");
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("list seam/") {
        let path = entry.expect("list seam/").path();
        match path.is_dir() {
            true => list(&path, files),
            false => files.push(path),
        }
    }
}
