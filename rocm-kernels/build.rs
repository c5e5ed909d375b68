//! Lists what the crate embeds: every header of `hip/`, and whatever code objects `cargo xtask build-kernels` wrote
//! to `code-objects/<arch>/<module>.hsaco.zst`. Without any the table is empty, and the crate builds all the same.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn main() {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=hip");

    let headers = files(&root.join("hip"), ".h")
        .iter()
        .map(|(name, path)| format!("    (\"{name}.h\", include_str!({path:?})),\n"))
        .collect::<String>();
    write(&out.join("headers.rs"), &format!("&[\n{headers}]\n"));

    if env::var_os("CARGO_FEATURE_PREBUILT").is_some() {
        let objects = root.join("code-objects");
        // Cargo takes a watched path that does not exist for changed, every time: watch the parent until it does.
        println!("cargo:rerun-if-changed={}", if objects.is_dir() { "code-objects" } else { "." });
        write(&out.join("prebuilt.rs"), &prebuilt_table(&objects));
    }
}

/// `&[("gfx1100", "affine", include_bytes!(..)), ..]`, sorted by arch and module.
fn prebuilt_table(objects: &Path) -> String {
    let mut table = String::from("&[\n");
    for arch in sorted(objects).iter().filter(|path| path.is_dir()) {
        println!("cargo:rerun-if-changed={}", arch.display());
        let Some(arch_name) = arch.file_name().and_then(|name| name.to_str()) else { continue };
        for (module, path) in files(arch, ".hsaco.zst") {
            let _ = writeln!(table, "    ({arch_name:?}, {module:?}, include_bytes!({path:?})),");
        }
    }
    table + "]\n"
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
