//! candle's own backend and candle-rocm, side by side: the same program, the same closures, the same card.
//!
//! With the feature `cuda` the other side is candle's `Device::Cuda`, on the card on which the platform `nvidia` runs our
//! kernels; without, it is nobody, or candle's CPU backend (`--against cpu`). Each case is timed in turns, after warming up,
//! and both results are compared. PyTorch's figures come from a child process, where a Python with PyTorch is installed.
//! Results are written as they come, to a TSV file and, at the end, to a Markdown table.

mod bars;
mod card;
mod case;
mod cases;
mod compare;
mod earlier;
#[cfg(feature = "cuda")]
mod memory_pool;
mod misses;
mod output;
mod prepare;
mod row;
mod side;
mod timing;
mod torch;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::{Parser, ValueEnum};

use crate::card::Card;
use crate::case::Case;
use crate::cases::Plan;
use crate::earlier::Earlier;
use crate::output::{markdown, tsv};
use crate::row::Row;
use crate::side::Side;

/// Times candle-rocm, and candle's CUDA backend where it is built in, on the same card.
#[derive(Parser)]
// What is given twice counts the last time: `run.sh` passes its arguments on behind its own.
#[command(args_override_self = true)]
struct Options {
    /// Only cases whose name, group or data type contains one of these words.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// List the cases, and time nothing.
    #[arg(long)]
    list: bool,
    /// Who is timed beside candle-rocm.
    #[arg(long, value_enum, default_value_t = Against::default())]
    against: Against,
    /// Compile all kernels, and stop.
    #[arg(long)]
    prepare: bool,
    /// Small shapes: to see that all cases run.
    #[arg(long)]
    quick: bool,
    /// Start no case after so many seconds.
    #[arg(long, default_value_t = 600)]
    seconds: u64,
    /// How often each side is timed.
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// Where bench.tsv and bench.md go.
    #[arg(long, default_value = "bench-results")]
    out: PathBuf,
    /// A TSV with figures measured before, for sides that this run has not.
    #[arg(long)]
    earlier: Option<PathBuf>,
    /// The Python that has PyTorch; `none` to do without.
    #[arg(long, default_value = "python3")]
    python: String,
    /// Make the Markdown table of a TSV file once more, and stop.
    #[arg(long)]
    render: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
enum Against {
    /// candle's CUDA backend.
    #[cfg_attr(feature = "cuda", default)]
    Cuda,
    /// candle's CPU backend.
    Cpu,
    /// Nobody.
    #[cfg_attr(not(feature = "cuda"), default)]
    Nobody,
}

fn main() -> Result<ExitCode> {
    let options = Options::parse();
    if let Some(file) = &options.render {
        let (card, rows) = tsv::read(file)?;
        std::fs::write(file.with_extension("md"), markdown::table(&card, &rows))?;
        return Ok(ExitCode::SUCCESS);
    }
    let cases: Vec<Case> = cases::all(&Plan::new(options.quick))
        .into_iter()
        .filter(|case| case.matches(&options.only))
        .collect();
    if options.list {
        cases.iter().for_each(|case| println!("{}", case.label()));
        return Ok(ExitCode::SUCCESS);
    }
    ensure!(!cases.is_empty(), "no case is called so; --list says what there is");
    let ours = Side::ours()?;
    prepare::kernels(&ours)?;
    if options.prepare {
        return Ok(ExitCode::SUCCESS);
    }
    let stock = match options.against {
        Against::Cuda => Some(Side::cuda()?),
        Against::Cpu => Some(Side::cpu()),
        Against::Nobody => None,
    };
    let rows = compare_all(&options, &cases, &ours, stock.as_ref())?;
    let failed = rows.iter().filter(|row| row.is_wrong()).count();
    eprintln!("{} cases, {failed} of them failed or gave other results", rows.len());
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn compare_all(options: &Options, cases: &[Case], ours: &Side, stock: Option<&Side>) -> Result<Vec<Row>> {
    let began = Instant::now();
    let earlier = options.earlier.as_deref().map(Earlier::read).transpose()?.unwrap_or_default();
    let card = Card::describe(ours, stock, options.quick)?;
    card.lines().iter().for_each(|(what, value)| eprintln!("{what}: {value}"));
    std::fs::create_dir_all(&options.out)
        .with_context(|| format!("{} cannot be made", options.out.display()))?;
    let path = options.out.join("bench.tsv");
    let mut file = tsv::Writer::create(&path, &card)?;
    let mut rows: Vec<Row> = Vec::new();
    let mut group = "";
    for (i, case) in cases.iter().enumerate() {
        if began.elapsed() > Duration::from_secs(options.seconds) {
            eprintln!("{} s are over: {} cases are left out", options.seconds, cases.len() - i);
            break;
        }
        if case.group != group {
            group = case.group;
            ours.forget();
            stock.inspect(|stock| stock.forget());
        }
        let mut row = timing::measure(case, ours, stock, options.rounds);
        earlier.fill(&mut row);
        row.judge(case, &card, &rows);
        eprintln!(
            "[{:>4.0} s] {:>3}/{} {}",
            began.elapsed().as_secs_f32(),
            i + 1,
            cases.len(),
            row.summary()
        );
        file.write(&row)?;
        rows.push(row);
    }
    if options.python != "none" && !options.quick {
        // What the pools keep, PyTorch may need.
        ours.forget();
        stock.inspect(|stock| stock.forget());
        torch::fill(&options.python, cases, &mut rows, options.rounds);
    }
    // Once more, with PyTorch's figures.
    let mut file = tsv::Writer::create(&path, &card)?;
    rows.iter().try_for_each(|row| file.write(row))?;
    std::fs::write(options.out.join("bench.md"), markdown::table(&card, &rows))?;
    eprintln!("{} and bench.md beside it are written", path.display());
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every case runs on the CPU platform, and its results are those of candle's CPU backend.
    #[test]
    fn all_cases_agree_with_the_cpu() {
        // f32 alone: the kernels of other types are tested elsewhere, and here the closures are what is under test.
        let cases = cases::all(&Plan::new(true)).into_iter().filter(|case| case.runs_on_cpu());
        let ours = Side::on(candle_rocm::platform::HOST).unwrap();
        let cpu = Side::cpu();
        for case in cases {
            let row = timing::measure(&case, &ours, Some(&cpu), 1);
            assert!(!row.is_wrong(), "{}", row.summary());
        }
    }

    #[test]
    fn names_are_unique() {
        let labels: Vec<_> = cases::all(&Plan::new(false)).iter().map(Case::label).collect();
        for (i, label) in labels.iter().enumerate() {
            assert!(!labels[..i].contains(label), "{label} is there twice");
        }
    }
}
