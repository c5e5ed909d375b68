//! Measurements on NVIDIA cards, and what is packed for machines that have one.

mod bench;
mod bundle;
mod nvrtc;

use std::process::ExitCode;

use clap::Parser;

#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
enum Task {
    /// Times candle-rocm beside candle's CUDA backend and PyTorch on the same NVIDIA card, and writes the tables.
    Bench(bench::Options),
    /// Packs the tests for a machine that has an NVIDIA card but no Rust.
    Bundle(bundle::Options),
}

fn main() -> anyhow::Result<ExitCode> {
    match Task::parse() {
        Task::Bench(options) => return bench::run(&options),
        Task::Bundle(options) => bundle::run(&options),
    }?;
    Ok(ExitCode::SUCCESS)
}
