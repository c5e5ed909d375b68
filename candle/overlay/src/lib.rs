//! candle-core and candle-nn with a ROCm device, made from the stock crates on crates.io.
//!
//! No candle source is in here. `seam/` has the lines that are added to each crate, by line number, and files of our own; a stock crate
//! is found in cargo's cache, or cargo fetches it, and it is verified by its SHA-256. There are two ways to get the patched crates:
//!
//! - the packages of the repository, whose build scripts run [`build_script`]. It writes the patched sources into the build folder;
//!   nothing is ever written into the package;
//! - complete packages, which `write_packages` (with the feature `packages`) writes into a folder.

#[cfg(feature = "command")]
pub mod command;
mod error;
mod fetch;
mod lib_rs;
mod lines;
#[cfg(feature = "packages")]
mod manifest;
#[cfg(feature = "packages")]
mod nvidia;
#[cfg(feature = "packages")]
mod options;
#[cfg(feature = "packages")]
mod packages;
mod patch;
mod registry;
mod seam;
mod stock;
#[cfg(test)]
mod tests;
mod tree;
mod variant;

use std::path::{Path, PathBuf};

pub use error::Error;
#[cfg(feature = "packages")]
pub use options::PackageOptions;
#[cfg(feature = "packages")]
pub use packages::write_packages;
use registry::SearchPath;
use seam::Seam;
use stock::Stock;
use tree::Tree;
use variant::Variant;

/// The crates that are patched.
const CRATES: [&str; 2] = ["candle-core", "candle-nn"];

/// The versions of candle that there is a seam for, the newest first.
///
/// # Errors
///
/// Fails if this crate's table is malformed.
pub fn versions() -> Result<Vec<String>, Error> {
    let stock = Seam::ours().stock()?.into_iter().filter(|stock| stock.name == CRATES[0]);
    Ok(stock.map(|stock| stock.version).collect())
}

/// Runs as the build script of a package with a stock crate's name and version: generates `patched/` in `OUT_DIR` and passes its path to
/// cargo and to dependents. Exits the process with a message if that fails.
pub fn build_script() {
    if let Err(error) = try_build_script() {
        eprintln!("{error}");
        std::process::exit(1);
    }
}

fn try_build_script() -> Result<(), Error> {
    let variable = |name| std::env::var(name).expect("cargo sets it");
    let seam = Seam::ours();
    let stock = seam.crate_of(&variable("CARGO_PKG_NAME"), &variable("CARGO_PKG_VERSION"))?;
    let patched = PathBuf::from(variable("OUT_DIR")).join("patched");
    let variant = Variant::of(|feature| {
        std::env::var_os(format!("CARGO_FEATURE_{}", feature.to_uppercase())).is_some()
    });
    let search_path = SearchPath::of(Path::new(&variable("CARGO_MANIFEST_DIR")))?;
    generate(&search_path, &seam, &stock, variant, &patched)?;
    // The seam is compiled into this script.
    println!("cargo::rerun-if-changed=build.rs");
    // For dependents' build scripts: DEP_CANDLE_ROCM_SEAM_VERSION, .._CANDLE and .._SOURCE.
    println!("cargo::metadata=version=1");
    println!("cargo::metadata=candle={}", stock.version);
    println!("cargo::metadata=source={}", patched.display());
    Ok(())
}

/// Writes the patched sources into a folder, whose contents are replaced. Does nothing if they are up to date.
fn generate(
    search_path: &SearchPath,
    seam: &Seam,
    stock: &Stock,
    variant: Variant,
    folder: &Path,
) -> Result<(), Error> {
    let stamp = format!("{} {variant:?}", seam.stamp());
    tree::replace(folder, &stamp, || patched(sources(search_path, stock)?, seam, stock, variant))
}

/// The patched sources of the stock crate's files `tree`: without its manifest, with our lines and files. Whoever includes this `src/lib.rs` has our own
/// part of it.
fn patched(mut tree: Tree, seam: &Seam, stock: &Stock, variant: Variant) -> Result<Tree, Error> {
    for file in LEFT_OUT {
        tree.remove(Path::new(file));
    }
    let hunks = variant.hunks(seam.hunks(stock)?);
    patch::apply(&hunks, &mut tree, &format!("{} {}", stock.name, stock.version))?;
    lib_rs::make_includable(&mut tree);
    let added = seam.added(&stock.name);
    let of_ours: Vec<_> = variant::files(&hunks).into_iter().chain(added.keys().cloned()).collect();
    tree.extend(added);
    variant.rename(seam, &stock.name, &mut tree, &of_ours);
    Ok(tree)
}

/// Files of the stock crate that are left out: the packages have their own manifests.
const LEFT_OUT: [&str; 4] = ["Cargo.toml", "Cargo.toml.orig", "Cargo.lock", ".cargo_vcs_info.json"];

/// The stock crate's files.
fn sources(search_path: &SearchPath, stock: &Stock) -> Result<Tree, Error> {
    let (file, bytes) = registry::read(search_path, stock)?;
    tree::unpack(&file, &bytes, &format!("{}-{}", stock.name, stock.version))
}
