//! `cargo xtask test`, and tasks that run a test or an example.

mod programs;
mod runtime;
mod tables;
mod test;
mod timings;
mod windows;

use std::process::ExitCode;

use clap::Parser;

#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
enum Task {
    /// Compiles a kernel module for the CPU, for `test --timings`.
    Kernels(timings::Kernels),
    /// Checks or writes the table in docs/book/src/cards.md: cards, their processors and the code objects they run.
    Cards(tables::Options),
    /// Checks or writes rocm-kernels/hip/fusion/fused.hip: the kernels that fusion generates for models, by running steps of them.
    FusedKernels(tables::Options),
    /// Checks or writes the table in docs/book/src/operations.md: operations, dtypes and engines, by running each of them.
    OpsTable(tables::Options),
    /// Tests programs that others wrote, as crates.io has them, on the AMD card if there is one, else on the CPU.
    Programs(programs::Options),
    /// Looks at a machine with the HIP runtime and nothing else: its packages, and what candle-rocm finds there.
    Runtime(runtime::Options),
    /// Runs every test, on the AMD card if there is one, else on the CPU.
    Test(test::Options),
    /// Checks or writes the tables in docs/book/src/environment.md: environment variables.
    Variables(tables::Options),
    /// Builds the published crates for Windows and runs tests there, by Wine on other systems: loader, files, processes, kernels on the CPU.
    Windows(windows::Options),
}

fn main() -> anyhow::Result<ExitCode> {
    match Task::parse() {
        Task::Cards(options) => tables::run(&tables::CARDS, &options),
        Task::Kernels(job) => timings::compile(&job).map(|()| ExitCode::SUCCESS),
        Task::FusedKernels(options) => tables::run(&tables::FUSED_KERNELS, &options),
        Task::OpsTable(options) => tables::run(&tables::OPERATIONS, &options),
        Task::Programs(options) => programs::run(&options),
        Task::Runtime(options) => runtime::run(&options),
        Task::Test(options) => test::run(options),
        Task::Variables(options) => tables::run(&tables::VARIABLES, &options),
        Task::Windows(options) => windows::run(&options),
    }
}
