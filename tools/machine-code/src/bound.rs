//! `cargo xtask bound`: how near to the limits of AMD's cards the benchmarks' kernels can come at most, without a card.
//!
//! The gfx platform executes each case of the bench table as machine code, and counts. From the counts and from the rates in the table
//! of processors follow how long each unit of a card is busy at least. The longest of these times is the least that the launch can
//! take; launches follow one another. No card can be faster with this code, and none reaches it: caches are taken for perfect,
//! clocks for the highest, and units never to wait for one another.

mod case;
mod markdown;
mod mca;
#[cfg(test)]
mod published;
mod reasons;
mod time;
mod tsv;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use clap::Args;
use rocm_kernels::Processor;
use tools_common::{cargo, root};

use crate::{gfx, warm};
use case::Case;

/// Executed of a launch, unless the command says otherwise.
const BUDGET: u64 = 1_000_000;

#[derive(Args)]
pub(crate) struct Options {
    /// The processors whose code is executed.
    #[arg(long, value_delimiter = ',', default_value = "gfx1100,gfx1201,gfx942")]
    arch: Vec<String>,
    /// Execute about this many instructions of each launch.
    #[arg(long, default_value_t = BUDGET)]
    budget: u64,
    /// Only cases whose name, group or data type contains one of these words; prints the bounds instead of writing the tables.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Take the counts of the last run.
    #[arg(long)]
    counted: bool,
    /// Compare the cycles of inner loops with llvm-mca's instead.
    #[arg(long)]
    mca: bool,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let root = root();
    let counts = root.join("target/xtask/bound");
    fs::create_dir_all(&counts)?;
    let file = |processor: &Processor| counts.join(format!("{}.jsonl", processor.name));
    let processors = processors(&options.arch)?;
    if !options.counted {
        count(options, root, &processors, file)?;
    }
    let read = |processor: &&'static Processor| Ok((*processor, Case::read(&file(processor))?));
    let bounds = processors.iter().map(read).collect::<Result<Vec<_>>>()?;
    if options.mca {
        return bounds.iter().try_for_each(|(processor, cases)| mca::compare(cases, processor));
    }
    let rows = tsv::rows(&bounds);
    if !options.only.is_empty() {
        rows.iter().for_each(|row| println!("{}", row.summary()));
        return Ok(());
    }
    let results = root.join("candle/bench/results");
    fs::write(results.join("bound.tsv"), tsv::table(&rows))?;
    fs::write(results.join("bound.md"), markdown::page(&rows, &processors))?;
    println!("Wrote bound.tsv and bound.md to {}", results.display());
    Ok(())
}

fn processors(names: &[String]) -> Result<Vec<&'static Processor>> {
    let find = |name: &String| {
        let processor = Processor::find(name).with_context(|| format!("{name} is not a processor"))?;
        ensure!(processor.rates.is_some(), "the rates of {name} are not in the table of processors");
        Ok(processor)
    };
    names.iter().map(find).collect()
}

fn count(
    options: &Options,
    root: &Path,
    processors: &[&'static Processor],
    file: impl Fn(&Processor) -> PathBuf,
) -> Result<()> {
    gfx::find_device_libraries()?;
    warm::gfx_kernels(&options.arch)?;
    let build = ["build", "--release", "-p", "candle-rocm-bench", "--features", "gfx"];
    let programs = cargo::programs(&root.join("candle"), &build)?;
    let program = programs.into_iter().find(|(name, _)| name.ends_with("candle-rocm-bench"));
    let (_, program) = program.context("cargo did not say where the program is")?;
    for processor in processors {
        let mut command = Command::new(&program);
        command.arg("--count").arg(file(processor)).args(["--budget", &options.budget.to_string()]);
        if !options.only.is_empty() {
            command.args(["--only", &options.only.join(",")]);
        }
        command.env("CANDLE_ROCM_PLATFORM", "gfx").env(gfx::DEVICES, processor.name);
        let status = command.status().with_context(|| format!("{} cannot be started", program.display()))?;
        ensure!(status.success(), "the cases could not be counted on {}", processor.name);
    }
    Ok(())
}
