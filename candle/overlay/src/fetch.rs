//! Has cargo fetch a crate into its cache.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Error, lock::Lock};

/// Where to call cargo, one after the other. Below the build's folder it follows the user's configuration, which in a
/// project with vendored crates keeps it from every registry: then outside of the project.
pub(crate) fn folders() -> impl Iterator<Item = PathBuf> {
    let inside = std::env::var_os("OUT_DIR").map(PathBuf::from);
    let parents = inside.into_iter().chain([std::env::temp_dir()]);
    parents.map(|parent| parent.join(format!("candle-rocm-fetch-{}", std::process::id())))
}

/// `cargo info` fetches this one crate and nothing else. It runs in an empty workspace of its own: in the user's it would
/// show the patched crate. Returns what it says.
pub(crate) fn fetch(cargo_home: &Path, lock: &Lock, folder: &Path) -> Result<String, Error> {
    make_workspace(folder)?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(&cargo)
        .args(["info", "--quiet", "--color=never", "--registry=crates-io"])
        .arg(format!("{}@{}", lock.name, lock.version))
        .current_dir(folder)
        .env("CARGO_HOME", cargo_home)
        .output()
        .map_err(|error| Error::io("run", Path::new(&cargo), error))?;
    let _ = std::fs::remove_dir_all(folder);
    Ok(String::from_utf8_lossy(&output.stderr).trim_end().to_owned())
}

fn make_workspace(folder: &Path) -> Result<(), Error> {
    let manifest = "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\n\n[workspace]\n";
    // Not one that is there already: anybody may write in the folder for temporary files.
    std::fs::create_dir(folder)
        .and_then(|()| std::fs::create_dir(folder.join("src")))
        .and_then(|()| std::fs::write(folder.join("src/lib.rs"), ""))
        .and_then(|()| std::fs::write(folder.join("Cargo.toml"), manifest))
        .map_err(|error| Error::io("make a workspace in", folder, error))
}
