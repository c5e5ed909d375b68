//! Lists the headers below `hip/`, which the crate embeds.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=hip");
    write(&out.join("headers.rs"), &header_table(&root.join("hip")));
}

/// `&[("common/dtype.h", include_str!(..)), ..]`, sorted by folder and name.
fn header_table(hip: &Path) -> String {
    let mut table = String::from("&[\n");
    for (folder, path) in folders(hip) {
        for (name, header) in files(&path, ".h") {
            let _ = writeln!(table, "    (\"{folder}/{name}.h\", include_str!({header:?})),");
        }
    }
    table + "]\n"
}

/// The folders in `folder`, as (name, path), sorted.
fn folders(folder: &Path) -> Vec<(String, PathBuf)> {
    let named = |path: PathBuf| Some((path.file_name()?.to_str()?.to_owned(), path));
    sorted(folder).into_iter().filter(|path| path.is_dir()).filter_map(named).collect()
}

/// Files of `folder` whose names end in `suffix`, as (name without it, absolute path), sorted.
fn files(folder: &Path, suffix: &str) -> Vec<(String, String)> {
    let named = |path: &PathBuf| {
        let name = path.file_name()?.to_str()?.strip_suffix(suffix)?;
        Some((name.to_owned(), path.to_str()?.to_owned()))
    };
    sorted(folder).iter().filter_map(named).collect()
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// Leaves an unchanged file alone, so that a rerun of this script does not recompile the crate.
fn write(path: &Path, text: &str) {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return;
    }
    fs::write(path, text).expect("OUT_DIR is writable");
}
