//! What the programs behind `cargo xtask` share: cargo, processes and files, Debian's packages, kernel modules and their sources. What
//! takes long to compile is none of it.

pub mod cargo;
pub mod debian;
pub mod entry_points;
pub mod files;
pub mod modules;
pub mod platform;
pub mod process;
pub mod programs;
pub mod sources;
pub mod summary;
pub mod warm;

use std::path::Path;

/// The folder of the root workspace.
pub fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here)
}
