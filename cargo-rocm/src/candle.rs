//! The candle of a project.

use semver::Version;

/// candle's own repository.
pub(crate) const GIT: &str = "https://github.com/huggingface/candle";
pub(crate) const CORE: &str = "candle-core";
/// The packages that are patched.
pub(crate) const PACKAGES: [&str; 2] = [CORE, "candle-nn"];

/// Where candle comes from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Source {
    CratesIo,
    /// candle's repository; the part of the address behind `?`: a branch, tag or revision, or nothing.
    Git(String),
}

impl std::fmt::Display for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::CratesIo => f.write_str("crates.io"),
            Self::Git(place) if place.is_empty() => f.write_str("candle's git"),
            Self::Git(place) => write!(f, "candle's git, {}", place.replace('=', " ")),
        }
    }
}

/// The candle of a project.
#[derive(Debug, PartialEq)]
pub(crate) struct Candle {
    pub(crate) version: Version,
    pub(crate) source: Source,
    /// The packages that ask for it.
    pub(crate) users: Vec<String>,
}
