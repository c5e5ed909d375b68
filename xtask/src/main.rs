//! The project's automation: one subcommand per task, each in a file of its own.

mod bench;
mod bindgen;
mod bound;
mod build_kernels;
mod bundle;
mod card;
mod cargo;
mod check_symbols;
mod coverage;
mod debian;
mod files;
mod hiprtc;
mod modules;
mod nvrtc;
mod parity;
mod process;
mod release;
mod rocm_rs;
mod summary;
mod tables;
mod test;
mod warm;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Builds, checks, tests and measures candle-rocm.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Times candle-rocm beside candle's CUDA backend and PyTorch on the same NVIDIA card, and writes the tables.
    Bench(bench::Options),
    /// Says how near to the limits of AMD's cards the benchmarks' kernels can come at most, from executing their machine code.
    Bound(bound::Options),
    /// Compiles the kernels for AMD GPUs and reports registers, spills, scratch and sizes.
    BuildKernels(build_kernels::Args),
    /// Generates the bindings of rocm-sys from ROCm's headers, or checks that they are up to date.
    Bindgen(bindgen::Options),
    /// Packs the tests for a machine that has an NVIDIA card but no Rust.
    Bundle(bundle::Options),
    /// Checks or writes the table in docs/cards.md: cards, their processors and the code objects they run.
    Cards(tables::Options),
    /// Checks that every function bound by rocm-sys exists in the real libraries.
    CheckSymbols(check_symbols::Options),
    /// Tests and benchmarks the card of this machine, and writes a report for an issue.
    Card(card::Options),
    /// Reports which machine code, and which source lines of the kernels, the tests of `test --gfx` executed.
    Coverage(coverage::Options),
    /// Generates text with a language model, on the AMD card if there is one, else on the CPU.
    Demo,
    /// Reports the platform, libraries, devices and kernels found on this machine, and runs a kernel on each device.
    Doctor,
    /// Compiles a kernel with a real hiprtc, for `test --gfx --hiprtc`.
    #[command(hide = true)]
    Hiprtc(hiprtc::Options),
    /// Checks or writes README.md's table of operations, dtypes and engines, by running each of them.
    OpsTable(tables::Options),
    /// Writes candle's sources with a ROCm device, records changes to them, or copies the stock crates.
    Overlay,
    /// Compares the names and parameters of our kernels with candle-kernels.
    Parity(parity::Args),
    /// Prepares, checks and publishes a release.
    Release(release::Options),
    /// Builds rocm-hip's exchange with the crate rocm-rs against ROCm's headers, and tests it.
    RocmRs(rocm_rs::Options),
    /// Runs every test, on the AMD card if there is one, else on the CPU.
    Test(test::Options),
    /// Writes the seam as a series of commits for candle itself.
    Upstream,
}

fn main() -> anyhow::Result<ExitCode> {
    match Cli::parse().task {
        Task::Bench(options) => return bench::run(&options),
        Task::Card(options) => return card::run(&options),
        Task::Hiprtc(options) => return hiprtc::run(&options),
        Task::OpsTable(options) => return tables::run(&tables::OPERATIONS, &options),
        Task::Cards(options) => return tables::run(&tables::CARDS, &options),
        Task::Test(options) => return test::run(options),
        Task::Bound(options) => bound::run(&options),
        Task::BuildKernels(args) => build_kernels::run(&args),
        Task::Bindgen(options) => bindgen::run(options),
        Task::Bundle(options) => bundle::run(&options),
        Task::Coverage(options) => coverage::run(&options),
        Task::CheckSymbols(options) => check_symbols::run(options),
        Task::Demo | Task::Doctor | Task::Overlay | Task::Upstream => {
            anyhow::bail!("a program of the other workspace, which `cargo xtask` starts (xtask/start)")
        }
        Task::Parity(args) => parity::run(&args),
        Task::Release(options) => release::run(&options),
        Task::RocmRs(options) => rocm_rs::run(&options),
    }?;
    Ok(ExitCode::SUCCESS)
}
