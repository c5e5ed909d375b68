//! Takes in the bundle that `cargo xtask build-kernels` writes beside this file. Without one, the crate is empty.

use std::path::PathBuf;
use std::{env, fs};

fn main() {
    let variable = |name| PathBuf::from(env::var_os(name).expect("cargo sets it"));
    let bundle = variable("CARGO_MANIFEST_DIR").join("code-objects.bundle");
    println!("cargo::rerun-if-changed=build.rs");
    // Cargo takes a watched path that does not exist for changed, every time: watch the folder until it does.
    println!("cargo::rerun-if-changed={}", if bundle.is_file() { "code-objects.bundle" } else { "." });
    let expression = if bundle.is_file() { format!("include_bytes!({bundle:?})") } else { "&[]".to_owned() };
    fs::write(variable("OUT_DIR").join("bundle.rs"), expression).expect("OUT_DIR is writable");
}
