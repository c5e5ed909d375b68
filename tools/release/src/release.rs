//! `cargo xtask release`: everything that a release consists of, in steps that CI can repeat.
//!
//! 1. `prepare VERSION` writes the version, and the changelog's heading for it. The result is committed and tagged `vVERSION`.
//! 2. `cargo xtask build-kernels --arch release --twice` makes the code objects, which are not in git.
//! 3. `check` packs the crates and tries them as a user gets them. `--short` does what takes a minute, for every change.
//! 4. `publish` uploads the crates that the registry does not have yet, so it can run again after it stopped half way.
//!
//! `.github/workflows/release.yml` runs 2 to 4 for a tag.

mod documentation;
mod newcomer;
mod packages;
mod publish;
mod registry;
mod tools;
mod versions;

use std::path::Path;

use anyhow::Result;
use clap::{Args, Subcommand};
use tools_common::cargo;

#[derive(Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    step: Step,
}

#[derive(Subcommand)]
enum Step {
    /// Writes a version into every manifest, the documentation and the changelog.
    Prepare {
        /// As in `0.2.0`.
        version: String,
    },
    /// Packs all crates, and checks versions, metadata, sizes, code objects, documentation and licences, and that a new project can
    /// be built from them.
    Check {
        /// Only versions, metadata, packages and sizes; code objects may be missing.
        #[arg(long)]
        short: bool,
    },
    /// Uploads the crates that the registry does not have in this version yet, each after those it depends on.
    Publish {
        /// Do everything but upload.
        #[arg(long)]
        dry_run: bool,
    },
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let [root, candle] = cargo::workspaces();
    match &options.step {
        Step::Prepare { version } => versions::prepare(&root, version),
        Step::Check { short } => check(&root, &candle, *short),
        Step::Publish { dry_run } => publish::run(&root, *dry_run),
    }
}

fn check(root: &Path, candle: &Path, short: bool) -> Result<()> {
    let version = versions::check(root)?;
    let crates = packages::all(root)?;
    packages::check_metadata(&crates)?;
    let files = packages::pack(root, &crates)?;
    packages::check_sizes(&files)?;
    if short {
        println!("checked {} crates of version {version}, without their code objects", crates.len());
        return Ok(());
    }
    let registry = registry::Registry::make(root, candle, &files)?;
    newcomer::run(root, &registry, &version)?;
    documentation::check(root, candle, &registry, &crates)?;
    tools::check(root, &crates)?;
    println!("checked {} crates of version {version}", crates.len());
    Ok(())
}
