//! Makes a crate with a ROCm device out of the stock one on crates.io, for the build scripts beside this folder.
//!
//! A package's folder holds `stock.lock` (which crate, and its SHA-256), `seam.patch` (added lines, at line numbers of that
//! very crate) and `added/` (files of our own). [`generate`] finds the crate in cargo's cache, or has cargo fetch it,
//! checks it, and writes the patched tree into `gen/`, which git ignores.

mod error;
mod lock;
mod patch;
mod registry;
#[cfg(test)]
mod tests;
mod tree;

use std::path::{Path, PathBuf};

pub use error::Error;
use lock::Lock;
pub use tree::{Tree, sync};

/// The work of a package's build script: makes `gen/`, and tells cargo and dependents about it. Ends the process with a
/// message if that fails.
pub fn build_script() {
    let package = PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    if let Err(error) = generate(&package) {
        eprintln!("{error}");
        std::process::exit(1);
    }
    for watched in ["stock.lock", "seam.patch", "added", "gen/.stamp"] {
        println!("cargo::rerun-if-changed={watched}");
    }
    // For dependents' build scripts: DEP_CANDLE_ROCM_SEAM_VERSION and DEP_CANDLE_ROCM_SEAM_GEN.
    println!("cargo::metadata=version=1");
    println!("cargo::metadata=gen={}", package.join("gen").display());
}

/// Makes or renews `gen/` in the package's folder. Nothing is read but the patch if it is up to date.
pub fn generate(package: &Path) -> Result<(), Error> {
    generate_with(&registry::cargo_home()?, package)
}

fn generate_with(home: &Path, package: &Path) -> Result<(), Error> {
    let lock = Lock::read(package)?;
    let stamp = lock.stamp(package)?;
    let generated = package.join("gen");
    let stamp_file = generated.join(".stamp");
    if std::fs::read_to_string(&stamp_file).is_ok_and(|found| found == stamp) {
        return Ok(());
    }
    sync(&patched_with(home, package)?, &generated)?;
    write_stamp(&stamp_file, &stamp).map_err(|error| Error::io("write", &stamp_file, error))
}

/// The package's patched files: the stock crate without its manifest, the patch, and `added/`.
pub fn patched(package: &Path) -> Result<Tree, Error> {
    patched_with(&registry::cargo_home()?, package)
}

fn patched_with(home: &Path, package: &Path) -> Result<Tree, Error> {
    let lock = Lock::read(package)?;
    let mut tree = stock_with(home, &lock)?;
    for manifest in ["Cargo.toml", "Cargo.toml.orig", "Cargo.lock", ".cargo_vcs_info.json"] {
        tree.remove(Path::new(manifest));
    }
    let patch = package.join("seam.patch");
    let text = std::fs::read_to_string(&patch).map_err(|error| Error::io("read", &patch, error))?;
    patch::apply(&patch, &text, &mut tree, &format!("{} {}", lock.name, lock.version))?;
    tree.extend(tree::read(&package.join("added"))?);
    Ok(tree)
}

/// The stock crate's files.
pub fn stock(package: &Path) -> Result<Tree, Error> {
    stock_with(&registry::cargo_home()?, &Lock::read(package)?)
}

fn stock_with(home: &Path, lock: &Lock) -> Result<Tree, Error> {
    let file = registry::find(home, lock)?;
    let bytes = std::fs::read(&file).map_err(|error| Error::io("read", &file, error))?;
    lock.verify(&file, &bytes)?;
    tree::unpack(&file, &bytes, &format!("{}-{}", lock.name, lock.version))
}

/// Its time is in the past: cargo would run the script again for a file that is newer than the script's start.
fn write_stamp(file: &Path, stamp: &str) -> std::io::Result<()> {
    std::fs::write(file, stamp)?;
    let past = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    std::fs::File::options().write(true).open(file)?.set_modified(past)
}
