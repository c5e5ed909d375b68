//! `cargo xtask test --gfx`: the tests on the gfx platform, which executes the machine code of AMD GPUs, and what they executed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::{debian, hiprtc, parity, warm};

/// What the platform reads.
pub(crate) const DEVICES: &str = "CANDLE_ROCM_GFX_DEVICES";
const COVERAGE: &str = "CANDLE_ROCM_GFX_COVERAGE";
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
        let coverage =
            Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("target").join("xtask/gfx-coverage");
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

    /// The environment of the tests.
    pub(super) fn variables(&self) -> [(&'static str, String); 2] {
        [(DEVICES, self.processors.join(",")), (COVERAGE, self.coverage.display().to_string())]
    }

    /// Prints which kernels were launched.
    pub(super) fn report(&self) -> Result<()> {
        let mut launched: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for entry in fs::read_dir(&self.coverage)? {
            for line in fs::read_to_string(entry?.path())?.lines() {
                let mut fields = line.split('\t');
                if let (Some(processor), Some(kernel)) = (fields.next(), fields.next()) {
                    launched.entry(processor.to_owned()).or_default().insert(kernel.to_owned());
                }
            }
        }
        let mut kernels = Vec::new();
        for module in rocm_kernels::ALL {
            kernels.extend(parity::kernel_names(module)?.into_iter().map(|kernel| (module.name, kernel)));
        }
        for processor in &self.processors {
            let of = launched.remove(processor).unwrap_or_default();
            let missing: Vec<&(&str, String)> =
                kernels.iter().filter(|(_, kernel)| !of.contains(kernel)).collect();
            println!(
                "{processor}: {} of {} kernels were launched",
                kernels.len() - missing.len(),
                kernels.len()
            );
            for (module, kernel) in missing {
                println!("  not launched: {module}: {kernel}");
            }
        }
        Ok(())
    }
}
