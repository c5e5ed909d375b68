//! Cargo as a child process.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

/// The folder of the root workspace, and of the one where candle's Tensor has a ROCm device.
pub(crate) fn workspaces() -> [PathBuf; 2] {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    [xtask.parent().unwrap_or(xtask).to_owned(), xtask.with_file_name("candle")]
}

/// The cargo that runs this program.
pub(crate) fn command() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Runs cargo in the workspace of that folder, and lists the programs it made by name. Before names of other packages than
/// candle-rocm stands the package's folder.
pub(crate) fn programs(workspace: &Path, arguments: &[&str]) -> Result<BTreeMap<String, PathBuf>> {
    programs_of(command().current_dir(workspace).args(arguments))
}

/// The same for a command that is prepared.
pub(crate) fn programs_of(cargo: &mut Command) -> Result<BTreeMap<String, PathBuf>> {
    let output = cargo
        .arg("--message-format=json-render-diagnostics")
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .context("cargo could not be started")?;
    ensure!(output.status.success(), "{cargo:?} failed");
    let mut programs = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let message: serde_json::Value =
            serde_json::from_str(line).context("cargo's messages are not JSON")?;
        let (Some(program), Some(name)) =
            (message["executable"].as_str(), message["target"]["name"].as_str())
        else {
            continue;
        };
        let package =
            message["manifest_path"].as_str().map(Path::new).and_then(Path::parent).and_then(Path::file_name);
        let name = match package {
            Some(package)
                if package != "candle-rocm" && package != "xtask" && !name.starts_with("candle_") =>
            {
                format!("{}-{name}", package.to_string_lossy())
            }
            _ => name.to_owned(),
        };
        programs.insert(name, PathBuf::from(program));
    }
    Ok(programs)
}
