//! Where the stock crates' files are.

use std::path::{Path, PathBuf};

use crate::{Error, fetch, lock::Lock};

/// The variable that names a folder of crates.
const VARIABLE: &str = "CANDLE_ROCM_CRATES";

/// Beside vendored packages. `cargo vendor` leaves it alone, as all whose name begins with a dot.
const FOLDER: &str = ".candle-rocm";

/// Both crates, for messages: who lacks one lacks the other.
const CRATES: [&str; 2] = ["candle-core", "candle-nn"];

/// Where crates are looked for, in this order.
pub(crate) struct Places {
    /// The one that the user has named.
    pub(crate) named: Option<PathBuf>,
    pub(crate) cargo_home: PathBuf,
    /// Beside the package's folder.
    pub(crate) beside: PathBuf,
    /// Whether `cargo vendor` put the package where it is.
    pub(crate) vendored: bool,
}

impl Places {
    pub(crate) fn of(package: &Path) -> Result<Self, Error> {
        Ok(Self {
            named: std::env::var_os(VARIABLE).filter(|folder| !folder.is_empty()).map(PathBuf::from),
            cargo_home: cargo_home()?,
            beside: package.with_file_name(FOLDER),
            vendored: package.join(".cargo-checksum.json").is_file(),
        })
    }

    /// Every registry, or mirror of one, has a folder in cargo's cache; a crate from the wrong one fails the checksum.
    fn folders(&self) -> Vec<PathBuf> {
        let registries = std::fs::read_dir(self.cargo_home.join("registry/cache"));
        let registries = registries.into_iter().flatten().flatten().map(|entry| entry.path());
        self.named.iter().cloned().chain(registries).chain([self.beside.clone()]).collect()
    }

    fn look_up(&self, lock: &Lock) -> Option<PathBuf> {
        let mut files = self.folders().into_iter().map(|folder| folder.join(lock.file_name()));
        files.find(|file| file.is_file())
    }
}

/// The crate's file, and what is in it.
pub(crate) fn read(places: &Places, lock: &Lock) -> Result<(PathBuf, Vec<u8>), Error> {
    let file = find(places, lock)?;
    let bytes = std::fs::read(&file).map_err(|error| Error::io("read", &file, error))?;
    lock.verify(&file, &bytes)?;
    Ok((file, bytes))
}

/// Fetched into cargo's cache if it is nowhere.
fn find(places: &Places, lock: &Lock) -> Result<PathBuf, Error> {
    if let Some(file) = places.look_up(lock) {
        return Ok(file);
    }
    let mut said = String::new();
    for folder in fetch::folders() {
        said = fetch::fetch(&places.cargo_home, lock, &folder).unwrap_or_else(|error| error.to_string());
        if let Some(file) = places.look_up(lock) {
            return Ok(file);
        }
    }
    Err(not_found(places, lock, &said))
}

fn not_found(places: &Places, lock: &Lock, said: &str) -> Error {
    let folders: String = places.folders().iter().map(|folder| format!("  {}\n", folder.display())).collect();
    let (cure, folder) = if places.vendored {
        (
            "Vendored crates do not include it. Where there is a network, put it beside them:",
            places.beside.clone(),
        )
    } else {
        (
            "Build once where there is a network, or put it into a folder that CANDLE_ROCM_CRATES names:",
            PathBuf::from("candle-crates"),
        )
    };
    Error::new(format!(
        "{name} with a ROCm device is made of {file}, which is in none of\n{folders}and cargo could not fetch it:\n{said}\n\
         {cure}\n  {command}",
        name = lock.name,
        file = lock.file_name(),
        said = said.trim_end(),
        command = download(&lock.version, &folder),
    ))
}

/// Commands for both crates. Cargo downloads from whatever registry or mirror it is set up for, outside of a project whose
/// configuration replaces that.
fn download(version: &str, folder: &Path) -> String {
    let info = |name: &str| format!("cargo info -q --registry crates-io {name}@{version}");
    let fetch = CRATES.map(info).join(" && ");
    format!(
        "(cd / && {fetch}) >/dev/null\n  mkdir -p {folder} && cp \"${{CARGO_HOME:-$HOME/.cargo}}\"/registry/cache/*/candle-{{core,nn}}-{version}.crate {folder}",
        folder = folder.display()
    )
}

/// Where cargo keeps what it fetches.
fn cargo_home() -> Result<PathBuf, Error> {
    if let Some(home) = std::env::var_os("CARGO_HOME").filter(|home| !home.is_empty()) {
        return Ok(home.into());
    }
    match std::env::home_dir() {
        Some(home) => Ok(home.join(".cargo")),
        None => Err(Error::new("cannot tell where cargo keeps crates: set CARGO_HOME")),
    }
}
