//! A registry in a folder: the packed crates, and all that they depend on.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use tools_common::cargo;

use super::packages;

/// A folder that stands in for crates.io, so that crates find each other as they will there: by version.
pub(super) struct Registry {
    folder: PathBuf,
}

impl Registry {
    /// Made from scratch below `target/`.
    pub(super) fn make(root: &Path, candle: &Path, packed: &[PathBuf]) -> Result<Self> {
        let folder = root.join("target/xtask/registry");
        let _ = fs::remove_dir_all(&folder);
        vendor(root, candle, &folder)?;
        for file in packed {
            packages::unpack(file, &folder)?;
            let unpacked = folder.join(file.file_stem().context("a crate's file has a name")?);
            // The packed lock files of dependents have it too.
            let checksum = format!("{{\"files\":{{}},\"package\":\"{}\"}}", packages::sha256(file)?);
            fs::write(unpacked.join(".cargo-checksum.json"), checksum)?;
        }
        stock_crates(root, &folder)?;
        println!("{}: {} packed crates and what they depend on", folder.display(), packed.len());
        Ok(Self { folder })
    }

    /// A packed crate's folder.
    pub(super) fn unpacked(&self, stem: &str) -> PathBuf {
        self.folder.join(stem)
    }

    /// Cargo's configuration for packages that shall see nothing but this registry.
    pub(super) fn configuration(&self) -> String {
        format!(
            "[source.crates-io]\nreplace-with = \"packed\"\n\n[source.packed]\ndirectory = {:?}\n",
            self.folder
        )
    }
}

/// What both workspaces depend on: candle's has the patched crates.
fn vendor(root: &Path, candle: &Path, folder: &Path) -> Result<()> {
    let mut vendor = cargo::command();
    vendor
        .args(["vendor", "--quiet", "--locked", "--versioned-dirs", "--sync"])
        .arg(candle.join("Cargo.toml"));
    vendor.arg(folder).current_dir(root).stdout(std::process::Stdio::null());
    ensure!(vendor.status().context("cargo could not be started")?.success(), "{vendor:?} failed");
    Ok(())
}

/// The crates that the patches apply to, where the patched crates look for them.
fn stock_crates(root: &Path, folder: &Path) -> Result<()> {
    let mut overlay = cargo::command();
    overlay.args([
        "run",
        "--quiet",
        "--manifest-path",
        "candle/overlay/Cargo.toml",
        "--bin",
        "overlay",
        "--",
        "--crates",
    ]);
    overlay.arg(folder.join(".candle-rocm")).current_dir(root).stdout(std::process::Stdio::null());
    ensure!(overlay.status().context("cargo could not be started")?.success(), "{overlay:?} failed");
    Ok(())
}
