//! Fetches a crate into cargo's cache.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Error, stock::Stock};

/// The folders to run cargo in, in order. Inside the build folder, cargo uses the project's configuration. If that replaces the
/// registries with vendored crates, cargo must run outside the project.
pub(crate) fn folders() -> impl Iterator<Item = PathBuf> {
    let inside = std::env::var_os("OUT_DIR").map(PathBuf::from);
    let parents = inside.into_iter().chain([std::env::temp_dir()]);
    parents.map(|parent| parent.join(format!("candle-rocm-fetch-{}", std::process::id())))
}

/// Runs `cargo info`, which fetches this crate and nothing else, in an empty workspace: in the user's workspace it would show the
/// patched crate. Returns cargo's stderr.
pub(crate) fn fetch(cargo_home: &Path, stock: &Stock, folder: &Path) -> Result<String, Error> {
    make_workspace(folder)?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(&cargo)
        .args(["info", "--quiet", "--color=never", "--registry=crates-io"])
        .arg(format!("{}@{}", stock.name, stock.version))
        .current_dir(folder)
        .env("CARGO_HOME", cargo_home)
        .output()
        .map_err(|error| Error::io("run", Path::new(&cargo), error))?;
    let _ = std::fs::remove_dir_all(folder);
    Ok(String::from_utf8_lossy(&output.stderr).trim_end().to_owned())
}

fn make_workspace(folder: &Path) -> Result<(), Error> {
    let manifest = "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\n\n[workspace]\n";
    // Must not exist yet: any user can write to the temporary folder.
    std::fs::create_dir(folder)
        .and_then(|()| std::fs::create_dir(folder.join("src")))
        .and_then(|()| std::fs::write(folder.join("src/lib.rs"), ""))
        .and_then(|()| std::fs::write(folder.join("Cargo.toml"), manifest))
        .map_err(|error| Error::io("create a workspace in", folder, error))
}
