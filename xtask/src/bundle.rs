//! `cargo xtask bundle`: the tests of both workspaces, packed for a machine that has an NVIDIA card but no Rust.
//!
//! The folder holds the test programs (stripped, compressed), the kernels compiled for the cards that are named, and the
//! program `run`, which unpacks both, runs every test and prints one summary. Copy the folder and start that. Tests that need
//! the sources, or cargo, say there that they are skipped.
//!
//! Kernels are compiled here if NVRTC is found (`CANDLE_ROCM_CUDA_PATH` may name its folder; no card is needed), else by the
//! machine that runs the tests, which takes it some minutes. They fit if both have the same version of NVRTC.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use clap::{Args, ValueEnum};
use rocm_kernels::{Cache, Target};
use rocm_sys::hiprtc::Hiprtc;

use crate::cargo;

#[derive(Args)]
pub(crate) struct Options {
    /// The folder to make; what is in it is replaced.
    #[arg(long)]
    out: PathBuf,
    /// Cards to compile kernels for.
    #[arg(long, value_delimiter = ',', default_value = "sm_90")]
    arch: Vec<String>,
    /// Only these tests (names of test programs, as `unary` or `nvidia-gpu`).
    #[arg(long, value_delimiter = ',')]
    tests: Vec<String>,
    /// Which tests: of the backend (root), of candle's Tensor on it (candle), or all.
    #[arg(long, value_enum, default_value_t = Workspace::All)]
    workspace: Workspace,
    /// Fail above this size.
    #[arg(long, default_value_t = 60)]
    limit_mib: u64,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Workspace {
    Root,
    Candle,
    All,
}

/// What cargo builds in each workspace, with the platform for NVIDIA cards linked in.
const ROOT_TESTS: &[&str] =
    &["-p", "candle-rocm", "-p", "candle-rocm-nvidia", "--features", "candle-rocm/nvidia"];
const CANDLE_TESTS: &[&str] = &[
    "-p",
    "candle-rocm-tests",
    "-p",
    "candle-rocm-upstream",
    "-p",
    "candle-rocm-models",
    "--features",
    "candle-rocm-tests/nvidia,candle-rocm-upstream/nvidia",
];

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
    let (tests, kernels) = (folder.join("tests"), folder.join("kernels"));
    fs::create_dir_all(&tests)?;
    fs::create_dir_all(&kernels)?;

    let [root, candle] = cargo::workspaces();
    let runner = cargo::programs(&root, &["build", "-p", "xtask", "--bin", "run-bundle"])?;
    let runner = runner.get("run-bundle").context("cargo did not say where the runner is")?;
    strip(runner, &folder.join("run"))?;

    let both = [(Workspace::Root, root, ROOT_TESTS), (Workspace::Candle, candle, CANDLE_TESTS)];
    for (workspace, place, packages) in both {
        if options.workspace != Workspace::All && options.workspace != workspace {
            continue;
        }
        let arguments = [&["test", "--no-run", "--lib", "--tests"], packages].concat();
        for (name, program) in cargo::programs(&place, &arguments)? {
            if options.tests.is_empty() || options.tests.contains(&name) {
                let stripped = tests.join(&name);
                strip(&program, &stripped)?;
                compress(&stripped, &stripped)?;
            }
        }
    }
    ensure!(fs::read_dir(&tests)?.next().is_some(), "no test has one of the names {:?}", options.tests);
    compile_kernels(&options.arch, &kernels)?;
    for entry in fs::read_dir(&kernels)?.collect::<Result<Vec<_>, _>>()? {
        compress(&entry.path(), &entry.path())?;
    }

    let mut total = 0;
    for part in [folder, &tests, &kernels] {
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

/// Fills the cache that the programs will look in. What was compiled before comes from the user's.
pub(crate) fn compile_kernels(arches: &[String], folder: &Path) -> Result<()> {
    let hiprtc = Hiprtc::from_resolver("candle-rocm-nvidia (linked in)", candle_rocm_nvidia::symbol);
    let (mut major, mut minor) = (0, 0);
    // SAFETY: both pointers are to live integers.
    unsafe { hiprtc.hiprtcVersion(&mut major, &mut minor) }?;
    if major == 0 {
        println!(
            "There is no NVRTC here: the machine with the card will compile the kernels, once per start."
        );
        return Ok(());
    }
    println!("Kernels for {} with NVRTC {major}.{minor}", arches.join(", "));
    let cache = Cache::at(folder).in_front_of(Cache::user());
    let jobs: Vec<_> =
        arches.iter().flat_map(|arch| rocm_kernels::ALL.iter().map(move |module| (arch, module))).collect();
    let next = std::sync::atomic::AtomicUsize::new(0);
    let work = || -> Result<()> {
        while let Some((arch, module)) = jobs.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
            let target = Target::new(*arch, 32);
            rocm_kernels::code_object(module, &target, Some(&hiprtc), &cache)?;
        }
        Ok(())
    };
    let workers = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        threads
            .into_iter()
            .try_for_each(|thread| thread.join().unwrap_or_else(|_| bail!("a compilation panicked")))
    })
}
