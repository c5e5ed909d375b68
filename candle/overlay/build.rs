//! Makes a table of the files in `seam/`, and a hash of the code that patches with it.

use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=seam");
    println!("cargo::rerun-if-changed=src");
    let variable = |name| PathBuf::from(std::env::var_os(name).expect("cargo sets it"));
    let package = variable("CARGO_MANIFEST_DIR");
    let root = package.join("seam");
    let mut table = "[\n".to_owned();
    for file in &list(&root) {
        let name = file.strip_prefix(&root).expect("below it").iter().map(|part| part.to_string_lossy());
        let name = name.collect::<Vec<_>>().join("/");
        writeln!(table, "    ({name:?}, include_str!({file:?})),").expect("a string");
    }
    std::fs::write(variable("OUT_DIR").join("seam.rs"), table + "]").expect("write the table");
    let mut hash = DefaultHasher::new();
    list(&package.join("src"))
        .iter()
        .for_each(|file| std::fs::read(file).expect("read src/").hash(&mut hash));
    println!("cargo::rustc-env=CANDLE_ROCM_OVERLAY_CODE={:x}", hash.finish());
}

/// The files in a folder and its subfolders, in order.
fn list(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).expect("list the package") {
        let path = entry.expect("list the package").path();
        match path.is_dir() {
            true => files.extend(list(&path)),
            false => files.push(path),
        }
    }
    files.sort();
    files
}
