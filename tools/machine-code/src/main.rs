//! What needs the interpreter of AMD machine code.

mod bench;
mod bound;
mod comgr;
mod compiler;
mod coverage;
mod figures;
mod gfx;
mod known;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod predict;
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
#[path = "predict/elsewhere.rs"]
mod predict;
mod warm;

use std::process::ExitCode;

use clap::Parser;

#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
enum Task {
    /// Says how near to the limits of AMD's cards the benchmarks' kernels can come at most, from executing their machine code.
    Bound(bound::Options),
    /// Reports which machine code, and which source lines of the kernels, the tests of `test --gfx` executed.
    Coverage(coverage::Options),
    /// The parts of `test --gfx` that need the interpreter.
    MachineCode(gfx::Options),
    /// Says how long kernels take on AMD's cards, by a model of time that is checked against published measurements.
    Predict(predict::Options),
    /// Compiles a kernel with a real hiprtc, for `test --gfx --hiprtc`.
    Compile(compiler::Options),
    /// Performs an action of a real comgr, for `test --gfx --comgr`.
    Comgr(comgr::Options),
}

fn main() -> anyhow::Result<ExitCode> {
    match Task::parse() {
        Task::Compile(options) => return compiler::run(&options),
        Task::Comgr(options) => comgr::run(&options),
        Task::Bound(options) => bound::run(&options),
        Task::Coverage(options) => coverage::run(&options),
        Task::MachineCode(options) => gfx::run(&options),
        Task::Predict(options) => predict::run(&options),
    }?;
    Ok(ExitCode::SUCCESS)
}
