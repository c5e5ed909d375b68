//! `cargo xtask bound`: how near to the limits of AMD's cards the benchmarks' kernels can come at most, without a card.
//!
//! The gfx platform executes each case of the bench table as machine code, and counts. From the counts and from the rates in the table
//! of processors follow how long each unit of a card is busy at least. The longest of these times is the least that the launch can
//! take; launches follow one another. No card can be faster with this code, and none reaches it: caches are taken for perfect,
//! clocks for the highest, and units never to wait for one another. What these waits amount to, the platform's model of time says in the
//! same run; its error is that of `cargo xtask predict --validate`.

mod case;
mod markdown;
mod mca;
mod predicted;
#[cfg(test)]
mod published;
mod reasons;
mod time;
mod tsv;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use clap::Args;
use rocm_kernels::Processor;
use rocm_kernels::cards::Card;
use tools_common::{cargo, root};

use crate::bench::Bench;
use crate::known::Known;
use case::Case;
use tsv::Row;

/// Executed of a launch, unless the command says otherwise.
const BUDGET: u64 = 1_000_000;

#[derive(Args)]
pub(crate) struct Options {
    /// The processors whose code is executed. Rows of others stay.
    #[arg(long, value_delimiter = ',', default_value = "gfx1100,gfx1201,gfx942")]
    arch: Vec<String>,
    /// Execute about this many instructions of each launch.
    #[arg(long, default_value_t = BUDGET)]
    budget: u64,
    /// Only cases whose name, group or data type contains one of these words, or whose line of the benchmark's --list one of these phrases
    /// ("q4_k/f32 batch 512"); prints the bounds instead of writing the tables.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// With --only: replace these rows of the tables.
    #[arg(long, requires = "only")]
    write: bool,
    /// Take the counts of the last run.
    #[arg(long)]
    counted: bool,
    /// Count nothing, and write the page anew from the table.
    #[arg(long, exclusive = true)]
    render: bool,
    /// Compare the cycles of inner loops with llvm-mca's instead.
    #[arg(long)]
    mca: bool,
}

pub(crate) fn run(options: &Options) -> Result<()> {
    let root = root();
    let results = root.join("candle/bench/results");
    let old = || tsv::parse(&fs::read_to_string(results.join("bound.tsv"))?);
    if options.render {
        return write(&results, &old()?);
    }
    let counts = root.join("target/xtask/bound");
    let file = |processor: &Processor| counts.join(format!("{}.jsonl", processor.name));
    let processors = processors(&options.arch)?;
    if !options.counted {
        count(options, &processors, file)?;
    }
    if options.mca {
        return processors.iter().try_for_each(|of| mca::compare(&Case::read(&file(of))?, of));
    }
    let mut rows = Vec::new();
    for &processor in &processors {
        let file = file(processor);
        let state = fs::read_to_string(file.with_extension("state"))?;
        rows.extend(tsv::rows(processor, &Case::read(&file)?, &state));
    }
    if options.only.is_empty() {
        write(&results, &tsv::replace_all(old()?, &processors, rows))
    } else if options.write {
        write(&results, &tsv::replace(old()?, rows))
    } else {
        rows.iter().for_each(|row| println!("{}", row.summary()));
        Ok(())
    }
}

fn write(folder: &Path, rows: &[Row]) -> Result<()> {
    let table = tsv::table(rows);
    // With the digits that the table has, as --render would write it.
    fs::write(folder.join("bound.md"), markdown::page(&tsv::parse(&table)?, &Known::read()?))?;
    fs::write(folder.join("bound.tsv"), table)?;
    println!("Wrote bound.tsv and bound.md to {}", folder.display());
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

/// What decides which code runs.
const CODE: [&str; 3] = ["rocm-kernels", "candle-rocm", "candle/bench/src/cases"];

fn count(
    options: &Options,
    processors: &[&'static Processor],
    file: impl Fn(&Processor) -> PathBuf,
) -> Result<()> {
    let state = cargo::last_change(&CODE)?;
    let bench = Bench::build(&options.arch, &options.only)?;
    // A program has one thread that is busy.
    for processors in processors.chunks(std::thread::available_parallelism().map_or(1, usize::from)) {
        let start = |processor: &&'static Processor| {
            let file = file(processor);
            let card = processor.rates.and_then(|rates| Card::find(rates.product));
            let card = card.map(|card| (card, &[][..]));
            let started = bench.start(processor.name, card, &options.only, options.budget, &file)?;
            fs::write(file.with_extension("state"), &state)?;
            Ok(started)
        };
        let started = processors.iter().map(start).collect::<Result<Vec<_>>>()?;
        started.into_iter().try_for_each(|started| started.wait())?;
    }
    Ok(())
}
