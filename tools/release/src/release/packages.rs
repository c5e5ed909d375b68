//! The crates that are published: their metadata, and the files that `cargo package` makes of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use tools_common::cargo;

/// What crates.io takes at most.
const LIMIT: u64 = 10 << 20;
/// What we allow: kernels will be added.
const OURS: u64 = 8 << 20;

/// A published crate.
pub(super) struct Crate {
    pub(super) name: String,
    pub(super) version: String,
    metadata: Value,
}

impl Crate {
    /// The file that cargo makes of it, and the folder in that file.
    pub(super) fn stem(&self) -> String {
        format!("{}-{}", self.name, self.version)
    }

    /// Whether there is a library, which docs.rs documents; otherwise it is a program.
    pub(super) fn has_library(&self) -> bool {
        let targets = self.metadata["targets"].as_array();
        let mut kinds = targets.into_iter().flatten().filter_map(|target| target["kind"].as_array());
        kinds.any(|kinds| kinds.iter().any(|kind| kind == "lib"))
    }

    /// The oldest Rust that compiles it.
    pub(super) fn rust_version(&self) -> Option<&str> {
        self.metadata["rust_version"].as_str()
    }

    /// The features that docs.rs documents.
    pub(super) fn documented_features(&self) -> Vec<&str> {
        let features = self.metadata["metadata"]["docs"]["rs"]["features"].as_array();
        features.into_iter().flatten().filter_map(Value::as_str).collect()
    }
}

/// The members of the workspace that may be published.
pub(super) fn all(root: &Path) -> Result<Vec<Crate>> {
    let mut cargo = cargo::command();
    cargo.args(["metadata", "--format-version=1", "--no-deps", "--quiet"]).current_dir(root);
    let metadata: Value = serde_json::from_str(&cargo::output(&mut cargo)?)?;
    let packages = metadata["packages"].as_array().context("cargo metadata lists no packages")?;
    let published = packages.iter().filter(|package| package["publish"].is_null());
    let text = |package: &Value, field: &str| package[field].as_str().map(str::to_owned).context("no name");
    published
        .map(|package| {
            let (name, version) = (text(package, "name")?, text(package, "version")?);
            Ok(Crate { name, version, metadata: package.clone() })
        })
        .collect()
}

/// What a registry and docs.rs show must be there.
pub(super) fn check_metadata(crates: &[Crate]) -> Result<()> {
    for krate in crates {
        let empty = |field: &&&str| krate.metadata[**field].as_str().is_none_or(str::is_empty);
        let fields =
            ["description", "license", "repository", "homepage", "documentation", "readme", "rust_version"];
        let missing: Vec<_> = fields.iter().filter(empty).collect();
        ensure!(missing.is_empty(), "{} has no {missing:?} in its Cargo.toml", krate.name);
        for list in ["keywords", "categories"] {
            let count = krate.metadata[list].as_array().map_or(0, Vec::len);
            ensure!((1..=5).contains(&count), "{} has {count} {list}; 1 to 5 are allowed", krate.name);
        }
        let target = krate.metadata["metadata"]["docs"]["rs"]["targets"][0].as_str();
        ensure!(target.is_some(), "{} does not say which targets docs.rs documents", krate.name);
    }
    Ok(())
}

/// Packs the crates, and returns their files.
pub(super) fn pack(root: &Path, crates: &[Crate]) -> Result<Vec<PathBuf>> {
    let mut package = cargo::command();
    // Built later, from these files alone.
    package.args(["package", "--quiet", "--no-verify", "--allow-dirty"]).current_dir(root);
    package.args(crates.iter().flat_map(|krate| ["--package", &krate.name]));
    ensure!(package.status().context("cargo could not be started")?.success(), "{package:?} failed");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    Ok(crates.iter().map(|krate| target.join("package").join(format!("{}.crate", krate.stem()))).collect())
}

/// Prints the sizes; fails above the limit.
pub(super) fn check_sizes(files: &[PathBuf]) -> Result<()> {
    for file in files {
        let size = fs::metadata(file).with_context(|| format!("cannot read {}", file.display()))?.len();
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        println!("{:>10.1} KiB  {name}", size as f64 / 1024.0);
        ensure!(
            size < OURS,
            "{name} has {size} bytes of the {LIMIT} that crates.io takes; split it at {OURS}"
        );
    }
    Ok(())
}

/// Unpacks a crate into a folder, where it has one of its own.
pub(super) fn unpack(file: &Path, folder: &Path) -> Result<()> {
    let mut tar = Command::new("tar");
    tar.arg("-xzf").arg(file).arg("-C").arg(folder);
    ensure!(tar.status().context("tar could not be started")?.success(), "{tar:?} failed");
    Ok(())
}

/// The checksum of a file, as registries list it.
pub(super) fn sha256(file: &Path) -> Result<String> {
    let output = Command::new("sha256sum").arg(file).output().context("sha256sum could not be started")?;
    let text = String::from_utf8(output.stdout)?;
    ensure!(output.status.success(), "sha256sum cannot read {}", file.display());
    Ok(text.split_whitespace().next().context("sha256sum printed nothing")?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crates_have_metadata() {
        let [root, _] = cargo::workspaces();
        let crates = all(&root).expect("cargo lists the crates");
        assert!(crates.iter().any(|krate| krate.name == "candle-rocm"));
        assert!(crates.iter().all(|krate| krate.name.contains("rocm")));
        check_metadata(&crates).expect("complete");
    }

    /// None can take another's in: each is packed by itself.
    #[test]
    fn data_crates_have_the_same_build_script() {
        let [root, _] = cargo::workspaces();
        let folders = fs::read_dir(root.join("code-objects")).expect("it is there");
        let script = |folder: PathBuf| fs::read_to_string(folder.join("build.rs")).expect("it is there");
        let scripts: Vec<_> = folders.map(|folder| script(folder.expect("a folder").path())).collect();
        assert!(scripts.len() > 1 && scripts.iter().all(|script| *script == scripts[0]));
    }
}
