//! One version for all crates: in the manifests, in what the READMEs tell users to write, and in the changelog.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use tools_common::cargo;

/// Files that name the version, other than the changelog and the lock files.
const FILES: [&str; 7] = [
    "Cargo.toml",
    "candle/Cargo.toml",
    "candle/overlay/Cargo.toml",
    "README.md",
    "candle/README.md",
    "docs/book/src/your-program.md",
    "docs/book/src/troubleshooting.md",
];
const CHANGELOG: &str = "CHANGELOG.md";
const UNRELEASED: &str = "## Unreleased";

/// The version, if all files name the same one.
pub(super) fn check(root: &Path) -> Result<String> {
    let mut version = None;
    for file in FILES {
        let text = read(root, file)?;
        let mut found = text.lines().filter_map(named).map(|(_, found, _)| found).peekable();
        ensure!(found.peek().is_some(), "{file} does not name the version");
        for found in found {
            let version = version.get_or_insert_with(|| found.to_owned());
            ensure!(version == found, "{file} says version {found}, others say {version}");
        }
    }
    let version = version.context("no file names the version")?;
    let changelog = read(root, CHANGELOG)?;
    let newest = changelog.lines().find(|line| line.starts_with("## ")).unwrap_or_default();
    let is_current = newest == UNRELEASED || newest.starts_with(&format!("## {version} - "));
    ensure!(
        is_current,
        "{CHANGELOG} begins with `{newest}`: expected `{UNRELEASED}` or `## {version} - date`"
    );
    Ok(version)
}

/// Replaces the version everywhere, and gives what is unreleased in the changelog its heading.
pub(super) fn prepare(root: &Path, version: &str) -> Result<()> {
    let numbers = version.split('.').filter(|part| part.parse::<u32>().is_ok());
    ensure!(
        numbers.count() == 3 && version.split('.').count() == 3,
        "`{version}` is not a version like 0.2.0"
    );
    let old = check(root)?;
    for file in FILES {
        let text = read(root, file)?;
        let lines = text.split_inclusive('\n').map(|line| match named(line) {
            Some((before, _, after)) => format!("{before}{version}{after}"),
            None => line.to_owned(),
        });
        write(root, file, &lines.collect::<String>())?;
    }
    // The patched candle-nn depends on our version.
    let mut overlay = cargo::command();
    overlay.args(["run", "--quiet", "-p", "candle-rocm-overlay", "--bin", "overlay", "--"]);
    overlay.args(["--packages", "candle"]).current_dir(root);
    ensure!(overlay.status()?.success(), "{overlay:?} failed");
    let changelog = read(root, CHANGELOG)?;
    ensure!(changelog.contains(UNRELEASED), "{CHANGELOG} has no `{UNRELEASED}`: nothing to release");
    let heading = format!("{UNRELEASED}\n\n## {version} - {}", today(root)?);
    write(root, CHANGELOG, &changelog.replacen(UNRELEASED, &heading, 1))?;
    for workspace in cargo::workspaces() {
        // Only the workspace's own versions change.
        let mut update = cargo::command();
        update.args(["update", "--quiet", "--workspace", "--offline"]).current_dir(workspace);
        ensure!(update.status()?.success(), "{update:?} failed");
    }
    println!("{old} is now {version}. Commit, tag the commit v{version} and push the tag.");
    Ok(())
}

/// A line that names our version, split around it: of a package, of a dependency on a package of ours, of a tag.
fn named(line: &str) -> Option<(&str, &str, &str)> {
    let starts_with = |start: &str| line.starts_with(start).then_some(start.len());
    let after = |start: &str| line.find(start).map(|at| at + start.len());
    let of_path =
        || after("version = \"=").or_else(|| after("version = \"")).filter(|_| line.contains("path = \""));
    let start = starts_with("version = \"")
        .or_else(|| after("candle-rocm = \""))
        .or_else(|| after("candle-rocm = { version = \""))
        .or_else(|| after("tag = \"v"))
        .or_else(of_path)?;
    let end = start + line[start..].find('"')?;
    Some((&line[..start], &line[start..end], &line[end..]))
}

/// The day of the last commit.
fn today(root: &Path) -> Result<String> {
    let day = Command::new("git").args(["log", "-1", "--format=%cs"]).current_dir(root).output()?;
    ensure!(day.status.success(), "git log: {}", String::from_utf8_lossy(&day.stderr));
    Ok(String::from_utf8(day.stdout)?.trim().to_owned())
}

fn read(root: &Path, file: &str) -> Result<String> {
    fs::read_to_string(root.join(file)).with_context(|| format!("cannot read {file}"))
}

fn write(root: &Path, file: &str, text: &str) -> Result<()> {
    fs::write(root.join(file), text).with_context(|| format!("cannot write {file}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_name_the_version() {
        for (line, version) in [
            ("version = \"0.1.0\"", Some("0.1.0")),
            ("rocm-hip = { version = \"0.1.0\", path = \"rocm-hip\" }", Some("0.1.0")),
            ("kernels = { version = \"=0.1.0\", path = \"rocm-kernels\" }", Some("0.1.0")),
            ("candle-rocm = \"0.1.0\"", Some("0.1.0")),
            ("depend on `candle-rocm = \"0.1.0\"` too", Some("0.1.0")),
            ("candle-rocm = { version = \"0.1.0\", default-features = false }", Some("0.1.0")),
            ("candle-nn = { git = \"https://example.org\", tag = \"v0.1.0\" }", Some("0.1.0")),
            ("half = { version = \"2.7\", features = [\"bytemuck\"] }", None),
            ("rust-version = \"1.89\"", None),
            ("candle-core = \"0.11.1\"", None),
            ("version.workspace = true", None),
        ] {
            assert_eq!(named(line).map(|(_, version, _)| version), version, "{line}");
        }
    }

    #[test]
    fn the_tree_has_one_version() {
        let [root, _] = cargo::workspaces();
        assert_eq!(check(&root).expect("one version"), env!("CARGO_PKG_VERSION"));
    }
}
