//! `cargo xtask build-kernels`: code objects, ahead of time.

mod build_kernels;

use clap::Parser;

#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
enum Task {
    /// Compiles the kernels for AMD GPUs and reports registers, spills, scratch and sizes.
    BuildKernels(build_kernels::Args),
}

fn main() -> anyhow::Result<()> {
    match Task::parse() {
        Task::BuildKernels(args) => build_kernels::run(&args),
    }
}
