//! Checks by tools of their own. One that is not installed is named and left out, unless `CI` is set.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use tools_common::cargo;

use super::packages::Crate;

pub(super) fn check(root: &Path, crates: &[Crate]) -> Result<()> {
    licences(root)?;
    oldest_rust(root, crates)?;
    compatibility(root, crates)
}

/// Licences and sources of all dependencies, as deny.toml allows them.
fn licences(root: &Path) -> Result<()> {
    if !is_installed(&["deny", "--version"], "cargo install --locked cargo-deny")? {
        return Ok(());
    }
    run(root, &["deny", "--all-features", "check", "licenses", "bans", "sources"])
}

/// The Rust that each Cargo.toml promises.
fn oldest_rust(root: &Path, crates: &[Crate]) -> Result<()> {
    let versions: BTreeSet<&str> = crates.iter().filter_map(Crate::rust_version).collect();
    for version in versions {
        let oldest = format!("+{version}");
        // Its own folder: artifacts of two compilers replace each other.
        let folder = format!("target/xtask/rust-{version}");
        if !is_installed(&[&oldest, "--version"], &format!("rustup toolchain install {version}"))? {
            continue;
        }
        let those = crates.iter().filter(|krate| krate.rust_version() == Some(version));
        let packages = those.flat_map(|krate| ["--package", &krate.name]);
        let check = [&*oldest, "check", "--quiet", "--lib", "--bins"];
        let arguments = check.into_iter().chain(packages).chain(["--target-dir", &folder]);
        run(root, &arguments.collect::<Vec<_>>())?;
    }
    Ok(())
}

/// Against the last release, if there is one.
fn compatibility(root: &Path, crates: &[Crate]) -> Result<()> {
    if !is_installed(&["semver-checks", "--version"], "cargo install --locked cargo-semver-checks")? {
        return Ok(());
    }
    for krate in crates.iter().filter(|krate| krate.has_library()) {
        let mut info = cargo::command();
        info.args(["info", "--quiet", "--registry", "crates-io", &krate.name]).current_dir("/");
        if info.output().context("cargo could not be started")?.status.success() {
            run(root, &["semver-checks", "--package", &krate.name])?;
        } else {
            println!("{}: no release to compare with", krate.name);
        }
    }
    Ok(())
}

/// Whether cargo has the command.
fn is_installed(arguments: &[&str], install: &str) -> Result<bool> {
    // Through rustup's cargo, not the one that runs this program: it knows other toolchains.
    let found = std::process::Command::new("cargo").args(arguments).output();
    if found.is_ok_and(|output| output.status.success()) {
        return Ok(true);
    }
    let name = format!("cargo {}", arguments[0]);
    if std::env::var_os("CI").is_some() {
        bail!("`{name}` is missing: {install}");
    }
    println!("LEFT OUT: `{name}` is missing: {install}");
    Ok(false)
}

fn run(root: &Path, arguments: &[&str]) -> Result<()> {
    let mut cargo = std::process::Command::new("cargo");
    cargo.args(arguments).current_dir(root);
    ensure!(cargo.status().context("cargo could not be started")?.success(), "{cargo:?} failed");
    Ok(())
}
