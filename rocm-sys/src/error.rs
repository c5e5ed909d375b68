//! Errors from opening libraries and looking up functions.

use std::fmt;
use std::path::PathBuf;

use crate::LibraryKind;
use crate::roots::{HAS_ROCM, System};
use crate::search::{Attempt, COMPILED_IN, EXPLICIT};

/// An opened library does not export a function: it is older or newer than the bindings, or a different library.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} ({library}) has no function `{symbol}`: it belongs to another version of ROCm", path.display())]
pub struct MissingSymbol {
    /// The library.
    pub library: LibraryKind,
    /// The function's C name.
    pub symbol: &'static str,
    /// The file, or the name of the platform if that is compiled into the program.
    pub path: PathBuf,
}

/// A library could not be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadError {
    /// The library.
    pub library: LibraryKind,
    /// What was tried, in order.
    pub attempts: Vec<Attempt>,
    /// Files of this library that were found, but whose version is not supported.
    pub unsupported: Vec<PathBuf>,
}

impl LoadError {
    /// Whether a version newer than the supported ones was found.
    pub fn found_newer(&self) -> bool {
        self.unsupported.iter().any(|path| self.library.is_too_new(path))
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !HAS_ROCM {
            return write!(f, "{} could not be opened: {}", self.library, OTHER_SYSTEM);
        }
        let names = self.library.file_names(System::THIS);
        writeln!(f, "{} could not be opened ({names}); tried", self.library)?;
        for Attempt { origin, path, reason } in &self.attempts {
            writeln!(f, "  {origin}: {}: {reason}", path.display())?;
        }
        for path in &self.unsupported {
            let relation = if self.library.is_too_new(path) { "newer" } else { "older" };
            let (name, supported) = (path.display(), self.library.supported());
            writeln!(f, "  found {name}, which is {relation} than what this release supports ({supported})")?;
        }
        if self.attempts.iter().any(|tried| tried.origin == COMPILED_IN) {
            return f.write_str("this platform does not have it");
        }
        let explicit = |tried: &Attempt| tried.origin == EXPLICIT;
        let named =
            self.unsupported.is_empty() && !self.attempts.is_empty() && self.attempts.iter().all(explicit);
        f.write_str(match (self.found_newer(), named, System::THIS) {
            (true, _, System::Linux) => {
                "update candle-rocm, or install ROCm 10 as well and set ROCM_PATH to its folder"
            }
            (true, _, System::Windows) => {
                "update candle-rocm, or set HIP_PATH to the folder of an older HIP SDK"
            }
            (false, true, _) => "nothing else is tried where a path is given: correct it, or leave it out",
            (false, false, System::Linux) => {
                "install ROCm 5 or newer, or set ROCM_PATH to the folder of an installation"
            }
            (false, false, System::Windows) => self.library.install_on_windows(),
        })?;
        f.write_str(self.library.left_out())
    }
}

/// The message on unsupported operating systems.
const OTHER_SYSTEM: &str = "candle-rocm supports AMD GPUs on 64-bit Linux and Windows, and this program was built for another system";

impl std::error::Error for LoadError {}
