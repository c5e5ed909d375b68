//! The project's automation: every task is a subcommand in a file of its own.

use clap::{Parser, Subcommand};

/// Builds, checks, tests and measures candle-rocm.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {}

fn main() -> anyhow::Result<()> {
    match Cli::parse().task {}
}
