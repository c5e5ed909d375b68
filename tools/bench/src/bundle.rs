//! `cargo xtask bundle`: the tests of both workspaces, packed for a machine that has an NVIDIA card but no Rust.
//!
//! The folder holds the test programs as `cargo xtask test` builds them (stripped, compressed), the demo, which checks itself,
//! the platform for NVIDIA cards as a library, the kernels compiled for the cards that are named, and the program `run`, which
//! unpacks all, runs every test and prints one summary. Copy the folder and start that. What the tests read is in them; those
//! that need the sources, cargo or a download say there that they are skipped.
//!
//! Kernels are compiled here if NVRTC is found (`CANDLE_ROCM_CUDA_PATH` may name its folder; no card is needed), else by the
//! machine that runs the tests, which takes it some minutes. They fit if both have the same version of NVRTC.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use tools_common::cargo;
use tools_common::programs::Workspace;

use crate::nvrtc;

#[derive(Args)]
pub(crate) struct Options {
    /// The folder to make; what is in it is replaced.
    #[arg(long)]
    out: PathBuf,
    /// Cards to compile kernels for.
    #[arg(long, value_delimiter = ',', default_value = "sm_90")]
    arch: Vec<String>,
    /// Only these tests (names of test programs, as `elementwise` or `nvidia-gpu`).
    #[arg(long, value_delimiter = ',')]
    tests: Vec<String>,
    /// Which tests: of the backend (root), of candle's Tensor on it (candle), or all.
    #[arg(long, value_enum, default_value_t = Workspace::All)]
    workspace: Workspace,
    /// Fail above this size.
    #[arg(long, default_value_t = 100)]
    limit_mib: u64,
}

/// The name that the programs find their platform by.
const LIBRARY: &str = "libcandle_rocm_nvidia.so";

pub(crate) fn run(options: &Options) -> Result<()> {
    let folder = &options.out;
    ensure!(
        !folder.exists() || folder.join("run").exists() || fs::read_dir(folder)?.next().is_none(),
        "{} is there already and is no bundle",
        folder.display()
    );
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("{} cannot be emptied", folder.display()))?;
    }
    let [tests, kernels, lib] = ["tests", "kernels", "lib"].map(|part| folder.join(part));
    for part in [&tests, &kernels, &lib] {
        fs::create_dir_all(part)?;
    }

    let [root, candle] = cargo::workspaces();
    let runner = cargo::programs(&root, &["build", "--bin", "run-bundle"])?;
    let runner = runner.get("bench-run-bundle").context("cargo did not say where the runner is")?;
    strip(runner, &folder.join("run"))?;

    let library = ["rustc", "-p", "candle-rocm-nvidia", "--features", "export", "--crate-type", "cdylib"];
    strip(&cargo::dynamic_library(&root, &library)?, &lib.join(LIBRARY))?;

    for (workspace, place) in [(Workspace::Root, root), (Workspace::Candle, candle)] {
        if options.workspace != Workspace::All && options.workspace != workspace {
            continue;
        }
        // As `cargo xtask test` builds them, but for the examples, of which some have the names of tests.
        let build = ["test", "--no-run", "--lib", "--tests"];
        for (name, program) in cargo::programs(&place, &build)? {
            let wanted = options.tests.is_empty() || options.tests.contains(&name);
            if wanted && workspace.has(&place, &name) {
                let stripped = tests.join(&name);
                strip(&program, &stripped)?;
                compress(&stripped, &stripped)?;
            }
        }
    }
    ensure!(fs::read_dir(&tests)?.next().is_some(), "no test has one of the names {:?}", options.tests);
    nvrtc::compile(&options.arch, &kernels)?;
    for entry in fs::read_dir(&kernels)?.collect::<Result<Vec<_>, _>>()? {
        compress(&entry.path(), &entry.path())?;
    }

    let mut total = 0;
    for part in [folder, &lib, &tests, &kernels] {
        let mut sizes = BTreeMap::new();
        for entry in fs::read_dir(part)?.collect::<Result<Vec<_>, _>>()? {
            if entry.file_type()?.is_file() {
                sizes.insert(entry.file_name(), entry.metadata()?.len());
            }
        }
        for (name, size) in &sizes {
            println!("{:>8} KiB  {}", size.div_ceil(1024), part.join(name).display());
        }
        total += sizes.values().sum::<u64>();
    }
    let limit = options.limit_mib << 20;
    ensure!(
        total <= limit,
        "{} MiB in all, more than {} (--limit-mib)",
        total.div_ceil(1 << 20),
        options.limit_mib
    );
    println!(
        "{} MiB in all. On the machine with the card: {}/run --help",
        total.div_ceil(1 << 20),
        folder.display()
    );
    Ok(())
}

/// Copies a program without its symbols.
pub(crate) fn strip(program: &Path, to: &Path) -> Result<()> {
    for tool in ["strip", "llvm-strip", "llvm-strip-22"] {
        match Command::new(tool).arg("-o").arg(to).arg(program).status() {
            Ok(status) if status.success() => return Ok(()),
            Ok(status) => bail!("{tool} failed on {}: {status}", program.display()),
            Err(_) => {}
        }
    }
    bail!("there is no `strip`: install binutils or llvm")
}

/// `to.zst` takes the place of `from`.
fn compress(from: &Path, to: &Path) -> Result<()> {
    let packed = zstd::encode_all(fs::File::open(from)?, 19)?;
    fs::remove_file(from)?;
    let mut name = to.as_os_str().to_owned();
    name.push(".zst");
    fs::write(name, packed)?;
    Ok(())
}
