#![doc = include_str!("../README.md")]

mod alias;
mod arguments;
mod candle;
mod card;
mod cargo;
mod doctor;
mod error;
mod files;
mod links;
mod lock;
mod overlay;
mod project;
mod run;
mod say;
mod shadow;
mod tree;

use std::process::ExitCode;

use arguments::Task;
use error::Error;

const HELP: &str = "\
Builds and runs programs that use candle on AMD GPUs, without a change to their files

Usage: cargo rocm [--platform NAME] <run|build|check|test|bench|clippy|doc|rustc> [OPTIONS OF CARGO]
       cargo rocm [--platform NAME] doctor
       cargo rocm [--platform NAME] card [OPTIONS]

Tasks:
  run, build, ..  What cargo's subcommand does, and its aliases, with the candle of Cargo.lock patched: CUDA's names give the AMD card.
                  Neither building nor installing needs ROCm. What is built is in target/rocm
  doctor          Reports the platform, libraries, devices and kernels found on this machine, and runs a kernel on each device
  card            Tests and benchmarks the card of this machine, and writes a report for an issue

Options:
  --platform NAME  Where programs run: auto, amd, host (this CPU, by the same kernels), gfx or nvidia
  -h, --help       Print help
  -V, --version    Print the version, and which versions of candle can be patched
";

fn main() -> ExitCode {
    match task() {
        Ok(status) => status,
        Err(Error::Cargo(status)) => ExitCode::from(status),
        Err(error) => {
            eprintln!("error: {error}");
            // As cargo does.
            ExitCode::from(101)
        }
    }
}

fn task() -> Result<ExitCode, Error> {
    let (platform, task) = arguments::read(std::env::args_os().skip(1).collect())?;
    match task {
        Task::Help => print!("{HELP}"),
        Task::Version => {
            println!("cargo-rocm {} (candle {})", env!("CARGO_PKG_VERSION"), overlay::listed()?);
        }
        Task::Doctor(words) => return doctor::run(platform.as_deref(), &words),
        Task::Card(words) => return card::run(platform.as_deref(), &words),
        Task::Cargo(words) => return run::run(platform.as_deref(), words),
    }
    Ok(ExitCode::SUCCESS)
}
