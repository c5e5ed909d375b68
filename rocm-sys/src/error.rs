//! What can go wrong before a function is called.

use std::fmt;
use std::path::PathBuf;

use crate::LibraryKind;

/// A library that was opened lacks a function: it is older or newer than the bindings, or another library altogether.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} ({library}) has no function `{symbol}`: it belongs to another version of ROCm", path.display())]
pub struct MissingSymbol {
    /// Which library it is.
    pub library: LibraryKind,
    /// The function's C name.
    pub symbol: &'static str,
    /// The file, or the name of the platform linked into the program.
    pub path: PathBuf,
}

/// One thing that was tried when a library was searched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// Why it was tried: `ROCM_PATH`, `the loader's path`, ...
    pub place: &'static str,
    /// The file or folder.
    pub path: PathBuf,
    /// Why it did not serve.
    pub reason: String,
}

/// A library could not be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadError {
    /// Which library it is.
    pub library: LibraryKind,
    /// What was tried, in order.
    pub attempts: Vec<Attempt>,
    /// Files of this library that are there under a version that is not supported.
    pub unsupported: Vec<PathBuf>,
}

impl LoadError {
    /// Whether there is a file of a version that came out after this release.
    pub fn found_newer(&self) -> bool {
        self.unsupported.iter().any(|path| self.library.is_too_new(path))
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !cfg!(target_os = "linux") {
            return write!(f, "{} could not be opened: {}", self.library, NOT_LINUX);
        }
        writeln!(f, "{} could not be opened ({}); tried", self.library, self.library.sonames().join(", "))?;
        for Attempt { place, path, reason } in &self.attempts {
            writeln!(f, "  {place}: {}: {reason}", path.display())?;
        }
        for path in &self.unsupported {
            let relation = if self.library.is_too_new(path) { "newer" } else { "older" };
            let (name, supported) = (path.display(), self.library.supported());
            writeln!(f, "  found {name}, which is {relation} than what this release supports ({supported})")?;
        }
        match self.found_newer() {
            true => {
                write!(f, "update candle-rocm, or install ROCm 10 beside it and set ROCM_PATH to its folder")
            }
            false => write!(f, "install ROCm 5 or newer, or set ROCM_PATH to the folder of an installation"),
        }
    }
}

/// What is supported, for systems that are not.
const NOT_LINUX: &str = "candle-rocm supports AMD GPUs on Linux, and this program was built for another system; on Windows, \
                         build and run it in WSL 2";

impl std::error::Error for LoadError {}
