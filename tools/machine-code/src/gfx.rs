//! What `cargo xtask test --gfx` needs of the interpreter: before the tests their kernels, after them what was executed.

use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use candle_rocm_gfx::rate;
use clap::{Args, Subcommand};
use tools_common::{cargo, debian, root};

use crate::compiler::{self, Library};
use crate::{coverage, warm};

/// What the platform reads.
pub(crate) const DEVICES: &str = "CANDLE_ROCM_GFX_DEVICES";
const COVERAGE: &str = "CANDLE_ROCM_GFX_COVERAGE";
pub(crate) const UNITS: &str = "CANDLE_ROCM_GFX_UNITS";
/// Names the platform's library, which the tests are built without.
const LIBRARY: &str = "CANDLE_ROCM_GFX_LIBRARY";
/// Clang's variable for ROCm's device libraries.
const DEVICE_LIBRARIES: &str = "HIP_DEVICE_LIB_PATH";

/// What compiles its kernels, and for what.
const HIPRTC: &str = "CANDLE_ROCM_GFX_HIPRTC";
const COMGR: &str = "CANDLE_ROCM_GFX_COMGR";
const GENERIC: &str = "CANDLE_ROCM_GFX_GENERIC";

#[derive(Args)]
pub(crate) struct Options {
    #[command(subcommand)]
    step: Step,
}

#[derive(Subcommand)]
enum Step {
    /// Writes the environment of the tests, and compiles kernels.
    Prepare(Prepare),
    /// Prints how fast the tests were executed.
    Rates(Processors),
    /// Prints what was executed, and fails where something was not that should be.
    Check(Processors),
}

#[derive(Args)]
struct Processors {
    #[arg(value_delimiter = ',')]
    processors: Vec<String>,
}

#[derive(Args)]
struct Prepare {
    #[command(flatten)]
    of: Processors,
    /// The file for the tests' variables, a line for each.
    #[arg(long)]
    environment: PathBuf,
    /// Compile all kernels now. Otherwise tests compile what they launch.
    #[arg(long)]
    all_kernels: bool,
    /// As of `cargo xtask test`.
    #[arg(long)]
    generic: bool,
    /// As of `cargo xtask test`.
    #[arg(long)]
    hiprtc: Option<String>,
    /// As of `cargo xtask test`.
    #[arg(long)]
    comgr: Option<String>,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    match &options.step {
        Step::Prepare(options) => prepare(options),
        Step::Rates(of) => print_rates(&of.processors),
        Step::Check(of) => coverage::check_tests(&of.processors),
    }
}

fn prepare(options: &Prepare) -> Result<()> {
    let processors = &options.of.processors;
    choose_compiler(options)?;
    let coverage = folder(processors);
    if coverage.exists() {
        fs::remove_dir_all(&coverage)?;
    }
    fs::create_dir_all(&coverage).with_context(|| format!("{} cannot be made", coverage.display()))?;
    find_device_libraries()?;
    if options.all_kernels {
        println!("Compiling all kernels for {}…", processors.join(", "));
        warm::gfx_kernels(processors)?;
    }
    let library = cargo::dynamic_library(root(), &["build", "--workspace", "--example", "gfx_library"])?;

    let chosen = [HIPRTC, COMGR, GENERIC, DEVICE_LIBRARIES].map(|name| (name, std::env::var(name).ok()));
    let mut variables: Vec<_> = chosen.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
    variables.extend([
        (DEVICES, processors.join(",")),
        (COVERAGE, coverage.display().to_string()),
        (LIBRARY, library.display().to_string()),
        // So few that small products keep them busy already: kernels with large tiles have their turn.
        (UNITS, "2".to_owned()),
    ]);
    let mut text = String::new();
    for (name, value) in variables {
        writeln!(text, "{name}={value}")?;
    }
    let file = &options.environment;
    fs::write(file, text).with_context(|| format!("{} cannot be written", file.display()))
}

/// Where a run leaves what it executed.
fn folder(processors: &[String]) -> PathBuf {
    coverage::folder().join(processors.join(","))
}

/// For this program and those that it starts.
fn choose_compiler(options: &Prepare) -> Result<()> {
    let program =
        |by, from: &Option<String>| from.as_deref().map(|from| compiler::program(by, from)).transpose();
    let hiprtc = program(Library::Hiprtc, &options.hiprtc)?;
    let comgr = program(Library::Comgr, &options.comgr)?;
    let generic = options.generic.then_some("1".into());
    for (name, value) in [(HIPRTC, hiprtc), (COMGR, comgr), (GENERIC, generic)] {
        // SAFETY: no other thread of this program runs yet.
        unsafe {
            match value {
                Some(value) => std::env::set_var(name, value),
                None => std::env::remove_var(name),
            }
        }
    }
    Ok(())
}

/// Has clang take Debian's device libraries where this machine has none.
pub(crate) fn find_device_libraries() -> Result<()> {
    if std::env::var_os(DEVICE_LIBRARIES).is_none()
        && rocm_sys::roots::all().iter().all(|root| root.device_libraries().is_none())
    {
        let folder = debian::device_libraries().map_err(anyhow::Error::msg)?;
        // SAFETY: no other thread of this program runs yet.
        unsafe { std::env::set_var(DEVICE_LIBRARIES, folder) };
    }
    Ok(())
}

fn print_rates(processors: &[String]) -> Result<()> {
    for (processor, rate) in rate::read(&folder(processors))? {
        println!(
            "{processor}: {:.0} million wave-instructions, {:.1} million per second and core",
            rate.instructions as f64 * 1e-6,
            rate.per_second() * 1e-6
        );
    }
    Ok(())
}
