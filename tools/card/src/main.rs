//! `cargo xtask card`: a report on the card of a machine.

mod card;

use std::process::ExitCode;

use clap::Parser;

#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
enum Task {
    /// Tests and benchmarks the card of this machine, and writes a report for an issue.
    Card(card::Options),
}

fn main() -> anyhow::Result<ExitCode> {
    match Task::parse() {
        Task::Card(options) => card::run(&options),
    }
}
