//! The error type. Each message ends with the way out.

use std::path::{Path, PathBuf};

/// Why a project cannot be built for ROCm.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    /// A call of cargo failed, and cargo has said why.
    #[error("cargo failed; its output says why (exit status {0})")]
    Cargo(u8),
    #[error(transparent)]
    Usage(#[from] lexopt::Error),
    #[error("unknown platform `{name}`; choose one of {known}")]
    Platform { name: String, known: String },
    #[error(
        "cargo rocm has no subcommand `{name}`: it has {known}, and aliases of these; for everything else use cargo itself (`cargo {name}`)"
    )]
    Subcommand { name: String, known: String },
    #[error(
        "no candle-core among the dependencies of {project}: cargo rocm only builds programs that use candle; use plain cargo for others"
    )]
    NoCandle { project: String },
    #[error(
        "the selected packages do not use candle-core, though {users} of this workspace's dependencies do: select one that does with -p, or enable the feature that brings candle"
    )]
    NotSelected { users: String },
    #[error(
        "the project uses {name} {version}, a fork of candle under another name, which cannot be patched: depend on candle-core ({known}), or ask the fork for a ROCm backend of its own"
    )]
    Renamed { name: String, version: String, known: String },
    #[error(
        "candle-core {version} comes from {from}, a fork of candle: a patch would replace what the fork has changed. Take candle-core ({known}) from crates.io or {git}"
    )]
    Fork { version: String, from: String, known: String, git: &'static str },
    #[error(
        "candle-core {version} is already a package in a folder: the project patches candle, or contains it. With candle-rocm's patches plain `cargo {command}` is enough; otherwise take candle-core ({known}) from crates.io or {git}"
    )]
    Patched { version: String, command: String, known: String, git: &'static str },
    #[error(
        "no overlay for candle-core {version}: there are overlays for {known}. Write candle-core = \"{newest}\" in Cargo.toml, and the same for candle's other crates (`cargo tree -i candle-core` lists what requires it)"
    )]
    Version { version: String, known: String, newest: String },
    #[error(
        "two versions of candle-core in {lock}, but a program can have only one ROCm backend:\n{users}\nUnify them with `cargo update`, or by updating the package that requires the older one"
    )]
    TwoVersions { lock: String, users: String },
    #[error(
        "candle-core is built with the feature `metal`, which is for another kind of GPU: leave it out, with --no-default-features if it is a default one (`cargo tree -e features -i candle-core` lists what turns it on)"
    )]
    Metal,
    #[error(
        "{name} compiles CUDA kernels of its own, which need nvcc and NVIDIA's cards: leave out the feature that brings it (`cargo tree -e features -i {name}` lists what turns it on). candle's own feature `cuda` may stay on"
    )]
    CudaKernels { name: String },
    #[error(
        "nothing links the ROCm backend: the selected packages use candle-core without candle-nn. Add candle-nn = \"{version}\" to its dependencies and `use candle_nn as _;` to its code, or candle-rocm = \"{rocm}\" and `use candle_rocm as _;`"
    )]
    NoBackend { version: String, rocm: &'static str },
    #[error(
        "the dependencies do not allow {name} {version}, for which there is an overlay: they ask for {found}. Allow it in Cargo.toml, or update Cargo.lock with `cargo update -p {name}`"
    )]
    NotTaken { name: String, version: String, found: String },
    #[error(transparent)]
    Overlay(#[from] candle_rocm_overlay::Error),
    #[error("cannot {verb} {}: {error}", path.display())]
    Io { verb: &'static str, path: PathBuf, error: std::io::Error },
    #[error(
        "cannot make a link in {}: {error}. Choose a folder on a file system that supports them, on Windows on the project's own drive, with --target-dir",
        path.display()
    )]
    Link { path: PathBuf, error: std::io::Error },
    #[error("no folder for generated files: set CANDLE_ROCM_CACHE_DIR")]
    NoCache,
    #[error(
        "the tests of candle-rocm are in its repository, and git could not clone {tag} of it; by hand: git clone {repository}, then `cargo xtask card` in it"
    )]
    Clone { repository: String, tag: String },
    #[error("{command} printed unexpected output: {what}")]
    Unexpected { command: String, what: String },
}

impl Error {
    pub(crate) fn io(verb: &'static str, path: &Path, error: std::io::Error) -> Self {
        Self::Io { verb, path: path.to_owned(), error }
    }

    /// Whether a lock file that is brought up to date may mend it.
    pub(crate) fn may_be_stale(&self) -> bool {
        matches!(self, Self::NoCandle { .. } | Self::NotSelected { .. } | Self::NotTaken { .. })
    }
}
