//! The upload.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use tools_common::cargo;

use super::packages::{self, Crate};
use super::versions;

pub(super) fn run(root: &Path, dry_run: bool) -> Result<()> {
    let version = versions::check(root)?;
    let mut missing = Vec::new();
    for krate in packages::all(root)? {
        match is_published(&krate)? {
            true => println!("{} {version} is published", krate.name),
            false => missing.push(krate),
        }
    }
    if missing.is_empty() {
        println!("all crates of {version} are published");
        return Ok(());
    }
    // Cargo uploads a crate after those it depends on, and waits until the registry has them.
    let mut publish = cargo::command();
    // The bundles are not in git. They were built from these sources by an earlier step.
    publish.args(["publish", "--no-verify", "--allow-dirty"]).current_dir(root);
    publish.args(missing.iter().flat_map(|krate| ["--package", &krate.name]));
    if dry_run {
        publish.arg("--dry-run");
    }
    ensure!(
        publish.status().context("cargo could not be started")?.success(),
        "{publish:?} failed; run it again"
    );
    Ok(())
}

/// Whether crates.io has this version.
fn is_published(krate: &Crate) -> Result<bool> {
    let mut info = cargo::command();
    // Away from the workspace, which cargo would describe instead.
    info.args(["info", "--quiet", "--registry", "crates-io", &format!("{}@{}", krate.name, krate.version)]);
    let output = info.current_dir(std::env::temp_dir()).output().context("cargo could not be started")?;
    let error = String::from_utf8_lossy(&output.stderr);
    let is_missing = error.contains("could not find");
    ensure!(output.status.success() || is_missing, "{info:?}: {}", error.trim());
    Ok(output.status.success())
}
