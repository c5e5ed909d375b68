//! The bindings of rocm-sys and of rocm-rs: ROCm's headers and libraries.

mod bindgen;
mod check_symbols;
mod rocm_rs;

use clap::Parser;

#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
enum Task {
    /// Generates the bindings of rocm-sys from ROCm's headers, or checks that they are up to date.
    Bindgen(bindgen::Options),
    /// Checks that every function bound by rocm-sys exists in the real libraries.
    CheckSymbols(check_symbols::Options),
    /// Builds rocm-hip's exchange with the crate rocm-rs against ROCm's headers, and tests it.
    RocmRs(rocm_rs::Options),
}

fn main() -> anyhow::Result<()> {
    match Task::parse() {
        Task::Bindgen(options) => bindgen::run(options),
        Task::CheckSymbols(options) => check_symbols::run(options),
        Task::RocmRs(options) => rocm_rs::run(&options),
    }
}
