//! `cargo xtask release`: a release's steps.

mod release;

use clap::Parser;

#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
enum Task {
    /// Prepares, checks and publishes a release.
    Release(release::Options),
}

fn main() -> anyhow::Result<()> {
    match Task::parse() {
        Task::Release(options) => release::run(&options),
    }
}
