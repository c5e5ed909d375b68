//! Cargo as a child process.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::root;

/// The folder of the root workspace, and of the one where candle's Tensor has a ROCm device.
pub fn workspaces() -> [PathBuf; 2] {
    [root().to_owned(), root().join("candle")]
}

/// What git says of the checkout: the last commit, and whether files were changed since.
///
/// # Errors
/// It is none.
pub fn commit() -> Result<String> {
    git(&["describe", "--always", "--dirty", "--abbrev=12"])
}

/// The date and the commit of the last change in these folders; a plus sign says that there are changes which are not committed.
///
/// # Errors
/// This is no checkout.
pub fn last_change(folders: &[&str]) -> Result<String> {
    let in_folders = |arguments: &[&str]| git(&[arguments, &["--"], folders].concat());
    let mark = if in_folders(&["status", "--porcelain"])?.is_empty() { "" } else { "+" };
    Ok(in_folders(&["log", "-1", "--format=%cs %h"])? + mark)
}

fn git(arguments: &[&str]) -> Result<String> {
    let output =
        Command::new("git").args(arguments).current_dir(root()).output().context("git cannot be started")?;
    ensure!(output.status.success(), "this is no git checkout: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The cargo that runs this program.
pub fn command() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// `cargo xtask`, for a task of another program.
pub fn xtask() -> Command {
    let mut cargo = command();
    cargo.args(["run", "--quiet", "--package", "xtask", "--"]).current_dir(root());
    cargo
}

/// The folder of a dependency of the workspace with this manifest, in the version of its Cargo.lock.
pub fn package(manifest: &Path, name: &str) -> Result<PathBuf> {
    package_with(manifest, &[], name)
}

/// The same with features that are not default ones.
pub fn package_with(manifest: &Path, features: &[&str], name: &str) -> Result<PathBuf> {
    let host = host()?;
    // Packages for other systems were never downloaded. Try offline first: the network is rarely needed.
    let metadata = |options: &[&str]| {
        let mut cargo = command();
        cargo.args([
            "metadata",
            "--format-version=1",
            "--quiet",
            "--filter-platform",
            &host,
            "--manifest-path",
        ]);
        output(cargo.arg(manifest).args(features).args(options))
    };
    let metadata: serde_json::Value =
        serde_json::from_str(&metadata(&["--offline"]).or_else(|_| metadata(&[]))?)?;
    let mut packages = metadata["packages"].as_array().into_iter().flatten();
    let package = packages.find(|package| package["name"] == name);
    let manifest = package.and_then(|package| package["manifest_path"].as_str());
    let folder = manifest.and_then(|manifest| Path::new(manifest).parent());
    Ok(folder.with_context(|| format!("cargo metadata does not list {name}"))?.to_owned())
}

/// The triple of this machine.
fn host() -> Result<String> {
    let version = output(command().arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).context("cargo -vV does not name the host")
}

/// What cargo prints.
///
/// # Errors
/// It fails; the text has its messages.
pub fn output(cargo: &mut Command) -> Result<String> {
    let output = cargo.stdin(Stdio::null()).output().context("cargo could not be started")?;
    ensure!(output.status.success(), "{cargo:?}: {}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(String::from_utf8(output.stdout)?)
}

/// Runs cargo in the workspace of that folder, and returns the programs that it built, by name. Names in packages other than
/// candle-rocm are prefixed by the package's folder.
pub fn programs(workspace: &Path, arguments: &[&str]) -> Result<BTreeMap<String, PathBuf>> {
    programs_of(command().current_dir(workspace).args(arguments))
}

/// The same for a given command.
pub fn programs_of(cargo: &mut Command) -> Result<BTreeMap<String, PathBuf>> {
    let mut programs = BTreeMap::new();
    for message in messages(cargo)? {
        let (Some(program), Some(name)) =
            (message["executable"].as_str(), message["target"]["name"].as_str())
        else {
            continue;
        };
        let package =
            message["manifest_path"].as_str().map(Path::new).and_then(Path::parent).and_then(Path::file_name);
        let mut name = match package {
            Some(package) if package != "candle-rocm" && !name.starts_with("candle_") => {
                format!("{}-{name}", package.to_string_lossy())
            }
            _ => name.to_owned(),
        };
        // A program and its unit tests have the same name.
        if message["target"]["kind"][0] == "bin" && message["profile"]["test"] == true {
            name.push_str("-tests");
        }
        programs.insert(name, PathBuf::from(program));
    }
    Ok(programs)
}

/// The names of a package's test programs: the files in `tests/`, and the folders that contain a `main.rs`.
pub fn test_programs(package: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(package.join("tests"))? {
        let path = entry?.path();
        let is_program = path.extension().is_some_and(|kind| kind == "rs") || path.join("main.rs").is_file();
        if let Some(name) = path.file_stem().filter(|_| is_program) {
            names.push(name.to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// Runs cargo in the workspace of that folder, and returns the dynamic library that it built.
pub fn dynamic_library(workspace: &Path, arguments: &[&str]) -> Result<PathBuf> {
    let mut cargo = command();
    let messages = messages(cargo.current_dir(workspace).args(arguments))?;
    let files = messages.iter().filter_map(|message| message["filenames"].as_array()).flatten();
    let libraries = files.filter_map(|file| file.as_str()).map(PathBuf::from);
    // Dependencies come first; the dynamic libraries among them are procedural macros.
    let mut libraries = libraries.filter(|file| file.extension().is_some_and(|extension| extension == "so"));
    libraries.next_back().with_context(|| format!("{cargo:?} made no dynamic library"))
}

/// Cargo's messages, one for each artifact.
fn messages(cargo: &mut Command) -> Result<Vec<serde_json::Value>> {
    let output = cargo
        .arg("--message-format=json-render-diagnostics")
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .context("cargo could not be started")?;
    ensure!(output.status.success(), "{cargo:?} failed");
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().map(|line| serde_json::from_str(line).context("cargo's messages are not JSON")).collect()
}
