//! Where cargo keeps the crates it has fetched.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{Error, lock::Lock};

/// The crate's file in cargo's cache; fetched if it is not there.
pub(crate) fn find(home: &Path, lock: &Lock) -> Result<PathBuf, Error> {
    if let Some(file) = cached(home, lock) {
        return Ok(file);
    }
    let said = fetch(home, lock)?;
    cached(home, lock).ok_or_else(|| {
        Error::new(format!(
            "{} is needed to build {} with a ROCm device, and is not in {}.\ncargo tried to fetch it and said:\n{said}\n\
             Offline: build once with a network, or write the patched sources where there is one (`cargo xtask overlay`).",
            lock.file_name(),
            lock.name,
            home.join("registry/cache").display(),
        ))
    })
}

/// Every registry, or mirror of one, has a folder; a crate from the wrong one fails the checksum.
fn cached(home: &Path, lock: &Lock) -> Option<PathBuf> {
    let registries = std::fs::read_dir(home.join("registry/cache")).ok()?;
    let mut files = registries.flatten().map(|entry| entry.path().join(lock.file_name()));
    files.find(|file| file.is_file())
}

/// `cargo info` fetches this one crate and nothing else. It runs in an empty workspace of its own: in the user's it would
/// show the patched crate; below the build's folder it follows the user's cargo configuration.
fn fetch(home: &Path, lock: &Lock) -> Result<String, Error> {
    let folder = match std::env::var_os("OUT_DIR") {
        Some(folder) => PathBuf::from(folder).join("fetch"),
        None => std::env::temp_dir().join(format!("candle-rocm-fetch-{}", std::process::id())),
    };
    let write = |name: &str, text: &str| {
        let file = folder.join(name);
        std::fs::create_dir_all(file.parent().unwrap_or(&folder))
            .and_then(|()| std::fs::write(&file, text))
            .map_err(|error| Error::io("write", &file, error))
    };
    write("Cargo.toml", "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\n\n[workspace]\n")?;
    write("src/lib.rs", "")?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(&cargo)
        .args(["info", "--quiet", "--color=never", "--registry=crates-io"])
        .arg(format!("{}@{}", lock.name, lock.version))
        .current_dir(&folder)
        .env("CARGO_HOME", home)
        .output()
        .map_err(|error| Error::io("run", Path::new(&cargo), error))?;
    Ok(String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Where cargo keeps what it fetches.
pub(crate) fn cargo_home() -> Result<PathBuf, Error> {
    if let Some(home) = std::env::var_os("CARGO_HOME").filter(|home| !home.is_empty()) {
        return Ok(home.into());
    }
    match std::env::home_dir() {
        Some(home) => Ok(home.join(".cargo")),
        None => Err(Error::new("cannot tell where cargo keeps crates: set CARGO_HOME")),
    }
}
