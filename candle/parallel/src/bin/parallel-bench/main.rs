//! Times collectives, tensor parallel llama and data parallel training on several cards, beside PyTorch's collectives on the same
//! cards, and writes parallel.tsv and parallel.md.
//!
//! The program starts itself once per rank. `run.sh` runs it on a machine with cards.

mod collectives;
mod measure;
mod models;
mod table;

use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Command, ExitCode, Stdio};

use candle_core::{Device, Error, Result};
use candle_rocm as _;
use candle_rocm_parallel::{Communicator, Environment};

use crate::measure::Sizes;
use crate::table::Results;

/// What PyTorch runs.
const TORCH: &str = include_str!("torch.py");
/// How often the ranks and PyTorch take turns.
const TURNS: usize = 2;

const USAGE: &str = "parallel-bench [--ranks N] [--quick] [--only collectives,llama,training] [--python PROGRAM] [--out FOLDER] [--render FILE]";

struct Options {
    ranks: u32,
    /// Small sizes, to check that all runs.
    quick: bool,
    only: String,
    /// The Python that has PyTorch, or `none`.
    python: String,
    out: PathBuf,
    /// Results whose page is written anew.
    render: Option<PathBuf>,
}

impl Options {
    fn wants(&self, part: &str) -> bool {
        self.only.is_empty() || self.only.split(',').any(|only| only == part)
    }
}

fn options() -> Result<Options> {
    let mut options = Options {
        ranks: 2,
        quick: false,
        only: String::new(),
        python: "python3".to_owned(),
        out: "results".into(),
        render: None,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let mut value =
            || arguments.next().ok_or_else(|| Error::Msg(format!("{name} needs a value\n{USAGE}")));
        match &*name {
            "--quick" => options.quick = true,
            "--ranks" => options.ranks = value()?.parse().map_err(|_| Error::Msg(USAGE.into()))?,
            "--only" => options.only = value()?,
            "--python" => options.python = value()?,
            "--out" => options.out = value()?.into(),
            "--render" => options.render = Some(value()?.into()),
            _ => candle_core::bail!("{USAGE}"),
        }
    }
    Ok(options)
}

fn main() -> ExitCode {
    let run = || match std::env::var_os("RANK") {
        Some(_) => rank(&options()?).map(|()| true),
        None => parent(&options()?),
    };
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// One rank: rank 0 prints `name\tvalue`.
fn rank(options: &Options) -> Result<()> {
    let place = Environment::read().map_err(Error::wrap)?;
    let device = Device::new_rocm(place.local_rank as usize)?;
    let ranks = Communicator::from_env(&device)?;
    let sizes = Sizes::new(options.quick);
    let report = |name: &str, value: f64| {
        if place.rank == 0 {
            println!("{name}\t{value}");
        }
    };
    if options.wants("collectives") {
        collectives::run(&ranks, &sizes, report)?;
    }
    if options.wants("llama") {
        models::llama(&ranks, &sizes, report)?;
    }
    if options.wants("training") {
        models::training(&ranks, &sizes, report)?;
    }
    Ok(())
}

/// False if a bar is missed.
fn parent(options: &Options) -> Result<bool> {
    let mut results = Results::default();
    if let Some(file) = &options.render {
        results.read(&std::fs::read_to_string(file)?);
        std::fs::write(file.with_extension("md"), results.markdown(options.ranks))?;
        return Ok(true);
    }
    let collectives = options.wants("collectives");
    for turn in 0..if collectives { TURNS } else { 1 } {
        start_ranks(options, turn, &mut results)?;
        if collectives && options.python != "none" {
            let sizes = Sizes::new(options.quick);
            let mut torch = Command::new(&options.python);
            torch.arg("-c").arg(TORCH).arg(options.ranks.to_string());
            torch.args([sizes.large, sizes.small, sizes.rounds].map(|size| size.to_string()));
            let output = torch.stderr(Stdio::inherit()).output()?;
            results.read(&String::from_utf8_lossy(&output.stdout));
        }
    }
    std::fs::create_dir_all(&options.out)?;
    std::fs::write(options.out.join("parallel.tsv"), results.tsv())?;
    let page = results.markdown(options.ranks);
    std::fs::write(options.out.join("parallel.md"), &page)?;
    println!("{page}");
    Ok(options.quick || results.bars_hold())
}

fn start_ranks(options: &Options, turn: usize, results: &mut Results) -> Result<()> {
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port().to_string();
    let start = |rank: u32| {
        let mut child = Command::new(std::env::current_exe()?);
        child.args(std::env::args().skip(1)).stdout(Stdio::piped());
        if turn > 0 {
            // The models are timed against themselves: once is enough.
            child.args(["--only", "collectives"]);
        }
        let rank = rank.to_string();
        child.envs([("RANK", &*rank), ("LOCAL_RANK", &*rank), ("WORLD_SIZE", &*options.ranks.to_string())]);
        child.envs([("MASTER_ADDR", "127.0.0.1"), ("MASTER_PORT", &*port)]);
        child.spawn()
    };
    let children: Vec<_> = (0..options.ranks).map(start).collect::<std::io::Result<_>>()?;
    for (rank, child) in children.into_iter().enumerate() {
        let output = child.wait_with_output()?;
        if !output.status.success() {
            candle_core::bail!("rank {rank} failed: {}", output.status)
        }
        results.read(&String::from_utf8_lossy(&output.stdout));
    }
    Ok(())
}
