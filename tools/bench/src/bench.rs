//! `cargo xtask bench`: candle-rocm, candle's CUDA backend and PyTorch on the same NVIDIA card; the tables go to
//! candle/bench/results.
//!
//! Building needs CUDA 13's compiler for candle's own kernels (an hour of CPU time, once), no card: `--cuda-home` names an
//! installed toolkit, `--fetch-cuda` takes the compiler from PyPI. With `--out` nothing runs: the program and our compiled
//! kernels are packed for a machine that has a card but no Rust. Without CUDA, `--alone` times candle-rocm alone, on any card.

mod cuda;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, Result, ensure};
use clap::Args;
use tools_common::{cargo, root};

use crate::{bundle, nvrtc};

#[derive(Args)]
pub(crate) struct Options {
    /// The folder of the CUDA toolkit [default: CUDA_HOME or CUDA_PATH]
    #[arg(long)]
    cuda_home: Option<PathBuf>,
    /// Fetch CUDA's compiler from PyPI, with pip, into target/cuda.
    #[arg(long, conflicts_with = "cuda_home")]
    fetch_cuda: bool,
    /// The card's compute capability, times ten.
    #[arg(long, default_value_t = 90)]
    capability: u32,
    /// Time candle-rocm alone, on the platform that CANDLE_ROCM_PLATFORM names.
    #[arg(long, conflicts_with_all = ["cuda_home", "fetch_cuda"])]
    alone: bool,
    /// Time several cards instead: collectives beside PyTorch's, tensor parallel llama, data parallel training.
    #[arg(long, conflicts_with_all = ["cuda_home", "fetch_cuda", "alone"])]
    parallel: bool,
    /// Do not run: pack bench.tar.gz (parallel.tar.gz) here, for a machine without Rust.
    #[arg(long)]
    out: Option<PathBuf>,
    /// Passed on to the program (`-- --help`).
    #[arg(last = true)]
    arguments: Vec<String>,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let root = root();
    let program = build(options, root)?;
    if let Some(out) = &options.out {
        let (script, name) = match options.parallel {
            true => ("candle/parallel/src/bin/parallel-bench/run.sh", "parallel"),
            false => ("candle/bench/run.sh", "bench"),
        };
        pack(&program, &root.join(script), options.capability, out, name)?;
        return Ok(ExitCode::SUCCESS);
    }
    let status = Command::new(&program)
        .arg("--out")
        .arg(root.join("candle/bench/results"))
        .args(&options.arguments)
        .status()
        .with_context(|| format!("{} cannot be started", program.display()))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn build(options: &Options, root: &Path) -> Result<PathBuf> {
    let name = if options.parallel { "candle-rocm-parallel" } else { "candle-rocm-bench" };
    let mut cargo = cargo::command();
    cargo.args(["build", "--release", "--bins", "-p", name]).current_dir(root.join("candle"));
    cargo.env("CANDLE_ROCM_COMMIT", cargo::commit()?);
    if options.alone || options.parallel {
        cargo.args(["--features", "nvidia"]);
    } else {
        let home = match (&options.cuda_home, options.fetch_cuda) {
            (Some(home), _) => home.clone(),
            (None, true) => cuda::fetch(&root.join("target/cuda"))?,
            (None, false) => ["CUDA_HOME", "CUDA_PATH"]
                .into_iter()
                .find_map(env::var_os)
                .map(PathBuf::from)
                .context("candle's CUDA backend needs CUDA: --cuda-home, --fetch-cuda or --alone")?,
        };
        let home = fs::canonicalize(&home).with_context(|| format!("{} is not there", home.display()))?;
        ensure!(home.join("bin/nvcc").is_file(), "{} has no bin/nvcc", home.display());
        if let Some(stubs) = cuda::stubs(&home, &root.join("target/cuda-stubs"))? {
            // One of the variables whose folders cudarc has the linker look in.
            cargo.env("CUDNN_LIB", stubs);
        }
        cargo.args(["--features", "cuda"]).env("CUDA_HOME", home);
        cargo.env("CUDA_COMPUTE_CAP", options.capability.to_string());
    }
    let programs = cargo::programs_of(&mut cargo)?;
    let name = if options.parallel { "parallel-bench" } else { name };
    let program = programs.into_iter().find(|(found, _)| found.ends_with(name));
    program.map(|(_, path)| path).context("cargo did not say where the program is")
}

/// `NAME.tar.gz` with a folder `NAME`: the program, a script that runs it, and the kernels for the card if NVRTC is here.
fn pack(program: &Path, script: &Path, capability: u32, out: &Path, name: &str) -> Result<()> {
    let folder = out.join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("{} cannot be emptied", folder.display()))?;
    }
    let kernels = folder.join("kernels");
    fs::create_dir_all(&kernels).with_context(|| format!("{} cannot be made", kernels.display()))?;
    bundle::strip(program, &folder.join("bench"))?;
    fs::copy(script, folder.join("run")).with_context(|| format!("{} is not there", script.display()))?;
    nvrtc::compile(&[format!("sm_{capability}")], &kernels)?;
    let archive = out.join(format!("{name}.tar.gz"));
    let status = Command::new("tar").args(["-czf"]).arg(&archive).arg("-C").arg(out).arg(name).status();
    ensure!(status.context("there is no `tar`")?.success(), "tar failed");
    println!(
        "{}: {} MiB. On the machine with the card:\n  tar xzf {name}.tar.gz && {name}/run\n\
         Then copy {name}/results/{name}.tsv and {name}.md from there to candle/bench/results.",
        archive.display(),
        fs::metadata(&archive)?.len().div_ceil(1 << 20)
    );
    Ok(())
}
