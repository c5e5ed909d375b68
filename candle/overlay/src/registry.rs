//! Finds the stock crates.

use std::path::{Path, PathBuf};

use crate::{CRATES, Error, fetch, stock::Stock};

/// The environment variable that names a folder of crates.
const VARIABLE: &str = "CANDLE_ROCM_CRATES";

/// The folder next to vendored packages. `cargo vendor` leaves names that start with a dot alone.
const FOLDER: &str = ".candle-rocm";

/// The folders in which crates are searched, in order.
pub(crate) struct SearchPath {
    /// The folder that the user named.
    pub(crate) named: Option<PathBuf>,
    pub(crate) cargo_home: PathBuf,
    /// The folder next to the package that is built.
    pub(crate) beside: Option<PathBuf>,
    /// Whether `cargo vendor` created the package folder.
    pub(crate) vendored: bool,
}

impl SearchPath {
    /// For any package.
    pub(crate) fn new() -> Result<Self, Error> {
        let named = std::env::var_os(VARIABLE).filter(|folder| !folder.is_empty()).map(PathBuf::from);
        Ok(Self { named, cargo_home: cargo_home()?, beside: None, vendored: false })
    }

    /// For a package in this folder.
    pub(crate) fn of(package: &Path) -> Result<Self, Error> {
        let beside = Some(package.with_file_name(FOLDER));
        Ok(Self { beside, vendored: package.join(".cargo-checksum.json").is_file(), ..Self::new()? })
    }

    /// Every registry or mirror has a folder in cargo's cache. A crate from the wrong one fails verification.
    fn folders(&self) -> Vec<PathBuf> {
        let registries = std::fs::read_dir(self.cargo_home.join("registry/cache"));
        let registries = registries.into_iter().flatten().flatten().map(|entry| entry.path());
        self.named.iter().cloned().chain(registries).chain(self.beside.clone()).collect()
    }

    fn find(&self, stock: &Stock) -> Option<PathBuf> {
        let mut files = self.folders().into_iter().map(|folder| folder.join(stock.file_name()));
        files.find(|file| file.is_file())
    }
}

/// The path and contents of the crate, after verification.
pub(crate) fn read(search_path: &SearchPath, stock: &Stock) -> Result<(PathBuf, Vec<u8>), Error> {
    let file = find(search_path, stock)?;
    let bytes = std::fs::read(&file).map_err(|error| Error::io("read", &file, error))?;
    stock.verify(&file, &bytes)?;
    Ok((file, bytes))
}

/// Finds the crate, or fetches it into cargo's cache.
pub(crate) fn find(search_path: &SearchPath, stock: &Stock) -> Result<PathBuf, Error> {
    if let Some(file) = search_path.find(stock) {
        return Ok(file);
    }
    let mut output = String::new();
    for folder in fetch::folders() {
        output =
            fetch::fetch(&search_path.cargo_home, stock, &folder).unwrap_or_else(|error| error.to_string());
        if let Some(file) = search_path.find(stock) {
            return Ok(file);
        }
    }
    Err(not_found(search_path, stock, &output))
}

fn not_found(search_path: &SearchPath, stock: &Stock, output: &str) -> Error {
    let folders: String =
        search_path.folders().iter().map(|folder| format!("  {}\n", folder.display())).collect();
    let (advice, folder) = match &search_path.beside {
        Some(beside) if search_path.vendored => (
            "Vendored crates do not include it. On a machine with network access, put it next to them:",
            beside.clone(),
        ),
        _ => (
            "Build once with network access, or put it into a folder and set CANDLE_ROCM_CRATES to that folder:",
            PathBuf::from("candle-crates"),
        ),
    };
    Error::new(format!(
        "{name} with a ROCm device is built from {file}, which is in none of these folders:\n{folders}Cargo could not \
         fetch it:\n{output}\n{advice}\n  {command}",
        name = stock.name,
        file = stock.file_name(),
        output = output.trim_end(),
        command = download(&stock.version, &folder),
    ))
}

/// Commands that fetch both crates: if one is missing, so is the other. They run outside the project, whose configuration may replace the registry; cargo uses the
/// registry or mirror that it is configured for.
fn download(version: &str, folder: &Path) -> String {
    let info = |name: &str| format!("cargo info -q --registry crates-io {name}@{version}");
    let fetch = CRATES.map(info).join(" && ");
    format!(
        "(cd / && {fetch}) >/dev/null\n  mkdir -p {folder} && cp \"${{CARGO_HOME:-$HOME/.cargo}}\"/registry/cache/*/candle-{{core,nn}}-{version}.crate {folder}",
        folder = folder.display()
    )
}

/// Cargo's home folder.
fn cargo_home() -> Result<PathBuf, Error> {
    if let Some(home) = std::env::var_os("CARGO_HOME").filter(|home| !home.is_empty()) {
        return Ok(home.into());
    }
    match std::env::home_dir() {
        Some(home) => Ok(home.join(".cargo")),
        None => Err(Error::new("cannot find cargo's home folder; set CARGO_HOME")),
    }
}
