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
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use clap::Args;
use rocm_kernels::Processor;
use tools_common::root;

use crate::bench::Bench;
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
    /// With --only: replace these rows of the tables.
    #[arg(long, requires = "only")]
    write: bool,
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
    let file = |processor: &Processor| counts.join(format!("{}.jsonl", processor.name));
    let processors = processors(&options.arch)?;
    if !options.counted {
        count(options, &processors, file)?;
    }
    let read = |processor: &&'static Processor| Ok((*processor, Case::read(&file(processor))?));
    let bounds = processors.iter().map(read).collect::<Result<Vec<_>>>()?;
    if options.mca {
        return bounds.iter().try_for_each(|(processor, cases)| mca::compare(cases, processor));
    }
    let rows = tsv::rows(&bounds);
    let results = root.join("candle/bench/results");
    let table = results.join("bound.tsv");
    let rows = if options.only.is_empty() {
        rows
    } else if options.write {
        tsv::replace(tsv::parse(&fs::read_to_string(&table)?)?, rows)
    } else {
        rows.iter().for_each(|row| println!("{}", row.summary()));
        return Ok(());
    };
    fs::write(&table, tsv::table(&rows))?;
    fs::write(results.join("bound.md"), markdown::page(&rows))?;
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
    processors: &[&'static Processor],
    file: impl Fn(&Processor) -> PathBuf,
) -> Result<()> {
    let bench = Bench::build(&options.arch)?;
    for processor in processors {
        bench.count(processor.name, None, &options.only, options.budget, &file(processor))?;
    }
    Ok(())
}
