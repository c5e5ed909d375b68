//! `cargo xtask test --gfx`: the tests on the gfx platform, which executes the machine code of AMD GPUs, and what they executed.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use candle_rocm_gfx::rate;

use crate::{cargo, coverage, debian, hiprtc, warm};

/// What the platform reads.
pub(crate) const DEVICES: &str = "CANDLE_ROCM_GFX_DEVICES";
const COVERAGE: &str = "CANDLE_ROCM_GFX_COVERAGE";
const UNITS: &str = "CANDLE_ROCM_GFX_UNITS";
/// Clang's variable for ROCm's device libraries.
const DEVICE_LIBRARIES: &str = "HIP_DEVICE_LIB_PATH";

/// What compiles its kernels, and for what.
const HIPRTC: &str = "CANDLE_ROCM_GFX_HIPRTC";
const GENERIC: &str = "CANDLE_ROCM_GFX_GENERIC";

/// For this program and those that it starts.
fn choose_compiler(options: &super::Options) -> Result<()> {
    let hiprtc = options.hiprtc.as_deref().map(hiprtc::program).transpose()?;
    let generic = options.generic.then_some("1".into());
    for (name, value) in [(HIPRTC, hiprtc), (GENERIC, generic)] {
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

/// A run on the gfx platform.
pub(super) struct Gfx {
    processors: Vec<String>,
    coverage: PathBuf,
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

impl Gfx {
    /// Compiles all kernels for these processors.
    pub(super) fn new(options: &super::Options) -> Result<Self> {
        let processors = &options.gfx;
        choose_compiler(options)?;
        let coverage = coverage::folder().join(processors.join(","));
        if coverage.exists() {
            fs::remove_dir_all(&coverage)?;
        }
        fs::create_dir_all(&coverage).with_context(|| format!("{} cannot be made", coverage.display()))?;
        find_device_libraries()?;
        println!("Compiling all kernels for {}…", processors.join(", "));
        warm::gfx_kernels(processors)?;
        Ok(Self { processors: processors.clone(), coverage })
    }

    /// candle-rocm's test programs, but for those whose name rocm-hip has too: cargo would take both, and rocm-hip does not know the
    /// platform.
    pub(super) fn tests() -> Result<Vec<String>> {
        let others = super::test_programs("rocm-hip")?;
        Ok(super::test_programs("candle-rocm")?.into_iter().filter(|name| !others.contains(name)).collect())
    }

    /// Arguments for cargo in `candle/`: the test programs that run kernels, and the examples.
    pub(super) fn candle_tests() -> Result<Vec<String>> {
        let [_, candle] = cargo::workspaces();
        let mut arguments = vec![];
        for package in ["tests", "upstream", "models"] {
            arguments.extend(cargo::test_programs(&candle.join(package))?);
        }
        arguments.extend(["programs", "sentences"].map(str::to_owned));
        // It builds the README's program, which does not have this platform.
        arguments.retain(|name| name != "readme");
        println!("Not run: candle/tests/tests/readme, which builds a program without the gfx platform");
        let mut arguments: Vec<String> =
            arguments.into_iter().flat_map(|name| ["--test".to_owned(), name]).collect();
        arguments.extend(["--example", "first", "--example", "custom_op"].map(str::to_owned));
        Ok(arguments)
    }

    /// The environment of the tests.
    pub(super) fn variables(&self) -> [(&'static str, String); 3] {
        [
            (DEVICES, self.processors.join(",")),
            (COVERAGE, self.coverage.display().to_string()),
            // So few that small products keep them busy already: kernels with large tiles have their turn.
            (UNITS, "2".to_owned()),
        ]
    }

    /// Prints how fast the tests were executed.
    pub(super) fn print_rates(&self) -> Result<()> {
        for (processor, rate) in rate::read(&self.coverage)? {
            println!(
                "{processor}: {:.0} million wave-instructions, {:.1} million per second and core",
                rate.instructions as f64 * 1e-6,
                rate.per_second() * 1e-6
            );
        }
        Ok(())
    }

    /// After all tests: prints what was executed, and fails where something was not that should be.
    pub(super) fn check(&self) -> Result<()> {
        coverage::check_tests(&self.processors)
    }
}
