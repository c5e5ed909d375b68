//! Generates crates with a ROCm device from the stock crates on crates.io, for the build scripts of the packages next to this folder.
//!
//! A package folder contains `stock.lock` (the crate and its SHA-256), `seam.patch` (added lines, by line number), `added/` (our own
//! files) and `src/lib.rs`, which includes the stock crate's. [`generate`] finds the stock crate or has cargo fetch it, verifies it and
//! writes the patched sources into the build folder. Nothing is ever written into the package.

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
use registry::SearchPath;
use tree::Tree;

/// Runs as a package's build script: generates `patched/` in `OUT_DIR` and passes its path to cargo and to dependents. Exits the
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

/// Generates the package's patched sources in a folder, whose contents are replaced. Does nothing if they are up to date.
///
/// # Errors
///
/// Fails if the stock crate cannot be found or fetched, if its checksum is wrong, if the patch does not apply, or if a file cannot be
/// read or written.
pub fn generate(package: &Path, folder: &Path) -> Result<(), Error> {
    generate_from(&SearchPath::of(package)?, package, folder)
}

fn generate_from(search_path: &SearchPath, package: &Path, folder: &Path) -> Result<(), Error> {
    let stamp = Lock::read(package)?.stamp(package)?;
    tree::replace(folder, &stamp, || patched(search_path, package))
}

/// The patched sources: the stock crate without its manifest, with the patch and `added/` applied. The package's own `src/lib.rs`
/// includes this `src/lib.rs`.
fn patched(search_path: &SearchPath, package: &Path) -> Result<Tree, Error> {
    let lock = Lock::read(package)?;
    let mut tree = stock(search_path, package)?;
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

/// Files of the stock crate that are left out: the packages have their own manifests.
const LEFT_OUT: [&str; 4] = ["Cargo.toml", "Cargo.toml.orig", "Cargo.lock", ".cargo_vcs_info.json"];

/// The stock crate's files.
fn stock(search_path: &SearchPath, package: &Path) -> Result<Tree, Error> {
    let lock = Lock::read(package)?;
    let (file, bytes) = registry::read(search_path, &lock)?;
    tree::unpack(&file, &bytes, &format!("{}-{}", lock.name, lock.version))
}
