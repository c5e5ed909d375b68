//! The error type. Messages name the file.

use std::fmt;
use std::path::Path;

/// The patched sources could not be generated.
#[derive(Debug)]
pub struct Error(String);

impl Error {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(message.into())
    }

    pub(crate) fn io(verb: &str, file: &Path, error: std::io::Error) -> Self {
        Self(format!("cannot {verb} {}: {error}", file.display()))
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}
