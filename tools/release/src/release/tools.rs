//! Checks by tools of their own. One that is not installed is named and left out, unless `CI` is set.

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

/// The Rust that Cargo.toml promises.
fn oldest_rust(root: &Path, crates: &[Crate]) -> Result<()> {
    let oldest = format!("+{}", env!("CARGO_PKG_RUST_VERSION"));
    if !is_installed(&[&oldest, "--version"], &format!("rustup toolchain install {}", &oldest[1..]))? {
        return Ok(());
    }
    let packages = crates.iter().flat_map(|krate| ["--package", &krate.name]);
    let arguments: Vec<&str> = [&*oldest, "check", "--quiet", "--lib"].into_iter().chain(packages).collect();
    // Its own folder: artifacts of two compilers replace each other.
    run(root, &[&arguments[..], &["--target-dir", "target/xtask/oldest-rust"]].concat())
}

/// Against the last release, if there is one.
fn compatibility(root: &Path, crates: &[Crate]) -> Result<()> {
    if !is_installed(&["semver-checks", "--version"], "cargo install --locked cargo-semver-checks")? {
        return Ok(());
    }
    for krate in crates {
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
