//! Makes a crate with a ROCm device out of the stock one on crates.io, for the build scripts beside this folder.
//!
//! A package's folder holds `stock.lock` (which crate, and its SHA-256), `seam.patch` (added lines, at line numbers of that
//! very crate), `added/` (files of our own) and `src/lib.rs`, which includes the stock crate's. [`generate`] finds the stock
//! crate's file, or has cargo fetch it, checks it, and writes the patched tree into the build's own folder: nothing is
//! ever written into the package.

#[cfg(feature = "command")]
pub mod command;
mod error;
mod fetch;
mod lib_rs;
mod lock;
mod patch;
mod registry;
#[cfg(test)]
mod tests;
mod tree;

use std::path::{Path, PathBuf};

pub use error::Error;
use lock::Lock;
use registry::Places;
use tree::Tree;

/// The work of a package's build script: makes `patched/` in `OUT_DIR`, and tells cargo and dependents about it. Ends the
/// process with a message if that fails.
pub fn build_script() {
    let variable = |name| PathBuf::from(std::env::var_os(name).expect("cargo sets it"));
    let patched = variable("OUT_DIR").join("patched");
    if let Err(error) = generate(&variable("CARGO_MANIFEST_DIR"), &patched) {
        eprintln!("{error}");
        std::process::exit(1);
    }
    for watched in ["stock.lock", "seam.patch", "added"] {
        println!("cargo::rerun-if-changed={watched}");
    }
    // For dependents' build scripts: DEP_CANDLE_ROCM_SEAM_VERSION and DEP_CANDLE_ROCM_SEAM_SOURCE.
    println!("cargo::metadata=version=1");
    println!("cargo::metadata=source={}", patched.display());
}

/// Makes or renews the package's patched tree in a folder, which is replaced as a whole. Nothing is read but the package if
/// it is up to date.
pub fn generate(package: &Path, folder: &Path) -> Result<(), Error> {
    generate_from(&Places::of(package)?, package, folder)
}

fn generate_from(places: &Places, package: &Path, folder: &Path) -> Result<(), Error> {
    let stamp = Lock::read(package)?.stamp(package)?;
    tree::replace(folder, &stamp, || patched(places, package))
}

/// The package's patched files: the stock crate without its manifest, the patch, and `added/`. Of `src/lib.rs` it is what
/// the package's own includes.
fn patched(places: &Places, package: &Path) -> Result<Tree, Error> {
    let lock = Lock::read(package)?;
    let mut tree = stock(places, package)?;
    for file in LEFT_OUT {
        tree.remove(Path::new(file));
    }
    let patch = package.join("seam.patch");
    let text = std::fs::read_to_string(&patch).map_err(|error| Error::io("read", &patch, error))?;
    patch::apply(&patch, &text, &mut tree, &format!("{} {}", lock.name, lock.version))?;
    lib_rs::make_includable(&mut tree);
    tree.extend(tree::read(&package.join("added"))?);
    Ok(tree)
}

/// The packages have manifests of their own.
const LEFT_OUT: [&str; 4] = ["Cargo.toml", "Cargo.toml.orig", "Cargo.lock", ".cargo_vcs_info.json"];

/// The stock crate's files.
fn stock(places: &Places, package: &Path) -> Result<Tree, Error> {
    let lock = Lock::read(package)?;
    let (file, bytes) = registry::read(places, &lock)?;
    tree::unpack(&file, &bytes, &format!("{}-{}", lock.name, lock.version))
}
