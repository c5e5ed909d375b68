//! candle's own tests of another version: a workspace in the build folder with `candle/upstream` and that version's overlays.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use tools_common::root;

/// Writes the workspace, and returns its folder. What has not changed keeps its time, so that cargo does not build it again.
pub(super) fn workspace(version: &str) -> Result<PathBuf> {
    let candle = root().join("candle");
    let overlays = candle.join("versions");
    let overlay = overlays.join(version).join("candle-core/Cargo.toml");
    ensure!(overlay.is_file(), "there are no tests of candle {version}, only of {}", names(&overlays)?);
    let folder = root().join("target").join(format!("candle-{version}"));
    let manifest = manifest(
        &read(&candle.join("Cargo.toml"))?,
        &read(&candle.join("upstream/Cargo.toml"))?,
        &read(&overlay)?,
        version,
    )?;
    write(&folder.join("Cargo.toml"), &manifest)?;
    for file in ["build.rs", "expected-failures.txt", "src/lib.rs", "tests/candle.rs"] {
        write(&folder.join(file), &read(&candle.join("upstream").join(file))?)?;
    }
    Ok(folder)
}

/// The manifest of `candle/upstream` as a workspace of its own, with the profiles of `candle/` and the version's overlays. Two folders
/// below the repository's root, as `candle/upstream` is, so that its paths are right.
fn manifest(workspace: &str, package: &str, overlay: &str, version: &str) -> Result<String> {
    let (_, rest) = workspace
        .split_once("[workspace.package]")
        .context("candle/Cargo.toml has no [workspace.package]")?;
    let patched = |name: &str| format!("{name} = {{ path = \"{name}\" }}");
    let path = |name: &str| format!("{name} = {{ path = \"../../candle/versions/{version}/{name}\" }}");
    let mut rest = rest.replace("path = \"../candle-rocm\"", "path = \"../../candle-rocm\"");
    for name in ["candle-core", "candle-nn"] {
        ensure!(rest.contains(&patched(name)), "candle/Cargo.toml does not patch {name}");
        rest = rest.replace(&patched(name), &path(name));
    }
    let own = package.split_once("candle-core = \"=").and_then(|(_, rest)| rest.split_once('"'));
    let (own, _) = own.context("candle/upstream requires no candle-core")?;
    // The tests use candle's.
    let float8 = |text: &str, head: &str| {
        let (_, rest) = text.split_once(head)?;
        let (_, rest) = rest.split_once("version = \"")?;
        rest.split_once('"').map(|(version, _)| version.to_owned())
    };
    let float8 = float8(overlay, "[dependencies.float8]").context("the overlay has no float8")?;
    let package = package.replace(&format!("\"={own}\""), &format!("\"={version}\""));
    let lines = package.lines().map(|line| match line.starts_with("float8 = ") {
        true => format!("float8 = \"{float8}\"\n"),
        false => format!("{line}\n"),
    });
    Ok(format!("{}\n[workspace]\nresolver = \"3\"\n\n[workspace.package]{rest}", lines.collect::<String>()))
}

fn names(folder: &Path) -> Result<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names.join(", "))
}

fn read(file: &Path) -> Result<String> {
    fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))
}

fn write(file: &Path, text: &str) -> Result<()> {
    if fs::read_to_string(file).is_ok_and(|found| found == text) {
        return Ok(());
    }
    let failed = || format!("{} cannot be written", file.display());
    fs::create_dir_all(file.parent().unwrap_or(file)).with_context(failed)?;
    fs::write(file, text).with_context(failed)
}
