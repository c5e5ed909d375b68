//! Benchmarks candle-rocm against candle's own backends: same process, same closures, same card.
//!
//! With the feature `cuda` the baseline is candle's `Device::Cuda`, on the card where the platform `nvidia` runs our kernels. Without
//! it there is none, or candle's CPU backend (`--against cpu`). The two sides of a case are timed alternately after a warm-up, and
//! their results are compared. A child process times PyTorch, if there is a Python that has it. Results are written to a TSV file as
//! they come, and to a Markdown page at the end.

mod bars;
mod card;
mod case;
mod cases;
mod compare;
#[cfg(feature = "gfx")]
mod contests;
#[cfg(feature = "gfx")]
mod count;
mod earlier;
mod first;
mod llama_bench;
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
use candle_rocm::Tuning;
use clap::{Parser, ValueEnum};

use crate::card::Card;
use crate::case::Case;
use crate::cases::Plan;
use crate::earlier::Earlier;
use crate::output::{markdown, tsv};
use crate::row::Row;
use crate::side::Side;

/// Times candle-rocm and, if it is compiled in, candle's CUDA backend on the same card.
#[derive(Parser)]
// The last of several occurrences counts: `run.sh` appends its arguments to its own.
#[command(args_override_self = true)]
struct Options {
    /// Run only the cases whose name, group or data type contains one of these words, or whose line of --list contains one of these phrases
    /// ("q4_k/f32 batch 512").
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// List the cases, each after its group and a tab, and exit.
    #[arg(long)]
    list: bool,
    /// The baseline.
    #[arg(long, value_enum, default_value_t = Against::default())]
    against: Against,
    /// Compile all kernels and exit.
    #[arg(long)]
    prepare: bool,
    /// Use small shapes, to check that all cases run.
    #[arg(long)]
    quick: bool,
    /// Do not start a case after this many seconds.
    #[arg(long, default_value_t = 600)]
    seconds: u64,
    /// How many times to time each side.
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// The folder for bench.tsv and bench.md.
    #[arg(long, default_value = "bench-results")]
    out: PathBuf,
    /// A TSV file with earlier results, for sides that this run does not have.
    #[arg(long)]
    earlier: Option<PathBuf>,
    /// The Python that has PyTorch, or `none`.
    #[arg(long, default_value = "python3")]
    python: String,
    /// Whether candle-rocm goes by measured choices: off, stored, or on, which measures and keeps them for a later run with stored. By
    /// default as CANDLE_ROCM_TUNING says. `on` also writes them to choices.txt.
    #[arg(long)]
    tuning: Option<Tuning>,
    /// Time the first hundred calls on a new device, with tuning off and on, and nothing else.
    #[arg(long)]
    first_calls: bool,
    /// Time this llama-bench of llama.cpp in turns with our quantized models, on files of their shapes, and nothing else.
    #[arg(long, value_name = "PATH")]
    llama_bench: Option<PathBuf>,
    /// Write what each case executes on the gfx platform to this file, and time nothing.
    #[cfg(feature = "gfx")]
    #[arg(long)]
    count: Option<PathBuf>,
    /// With --count: also predict how long each case takes on this card, such as "RX 7900 XTX".
    #[cfg(feature = "gfx")]
    #[arg(long, requires = "count")]
    card: Option<String>,
    /// With --card: give the model of time another number, such as "L0, cycles=100".
    #[cfg(feature = "gfx")]
    #[arg(long, requires = "card")]
    set: Vec<String>,
    /// With --count: go by the choices in this file, which candle-rocm exported.
    #[cfg(feature = "gfx")]
    #[arg(long, requires = "count")]
    choices: Option<PathBuf>,
    /// With --card: predict each candidate of the choices that the cases ask for, and count nothing.
    #[cfg(feature = "gfx")]
    #[arg(long, requires = "card")]
    contests: bool,
    /// With --count: execute about so many instructions of a launch.
    #[cfg(feature = "gfx")]
    #[arg(long, default_value_t = 1_000_000)]
    budget: u64,
    /// Regenerate the Markdown page of a TSV file and exit.
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
    /// candle-rocm with tuning off: what choices by measurement give.
    Fixed,
    /// No baseline.
    #[cfg_attr(not(feature = "cuda"), default)]
    None,
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
        cases.iter().for_each(|case| println!("{}\t{}", case.group, case.label()));
        return Ok(ExitCode::SUCCESS);
    }
    ensure!(!cases.is_empty(), "no case matches; --list shows all cases");
    let ours = Side::ours()?;
    if let (Some(rocm), Some(mode)) = (&ours.rocm, options.tuning) {
        rocm.set_tuning(mode);
    }
    #[cfg(feature = "gfx")]
    if let Some(file) = &options.count {
        // A few cases need few of them.
        if options.only.is_empty() {
            prepare::kernels(&ours)?;
        }
        if let (Some(rocm), Some(choices)) = (&ours.rocm, &options.choices) {
            rocm.import_tuning(&std::fs::read_to_string(choices)?)?;
        }
        let predicted = options.card.as_deref().map(|card| count::Predicted::new(card, &options.set));
        let predicted = predicted.transpose()?;
        match &predicted {
            Some(card) if options.contests => contests::run(&cases, &ours, card, options.budget, file)?,
            _ => count::run(&cases, &ours, predicted.as_ref(), options.budget, file)?,
        }
        return Ok(ExitCode::SUCCESS);
    }
    prepare::kernels(&ours)?;
    if options.prepare {
        return Ok(ExitCode::SUCCESS);
    }
    if options.first_calls {
        first::calls(&cases, options.rounds)?;
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(program) = &options.llama_bench {
        llama_bench::run(program, &Plan::new(options.quick), &ours, options.rounds, &options.out)?;
        return Ok(ExitCode::SUCCESS);
    }
    let stock = match options.against {
        Against::Cuda => Some(Side::cuda()?),
        Against::Cpu => Some(Side::cpu()),
        Against::Fixed => Some(Side::fixed()?),
        Against::None => None,
    };
    let rows = compare_all(&options, &cases, &ours, stock.as_ref())?;
    let failed = rows.iter().filter(|row| row.is_wrong()).count();
    eprintln!("{} cases, of which {failed} failed or gave different results", rows.len());
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn compare_all(options: &Options, cases: &[Case], ours: &Side, stock: Option<&Side>) -> Result<Vec<Row>> {
    let began = Instant::now();
    let earlier = options.earlier.as_deref().map(Earlier::read).transpose()?.unwrap_or_default();
    let card = Card::describe(ours, stock, options.quick)?;
    card.lines().iter().for_each(|(what, value)| eprintln!("{what}: {value}"));
    std::fs::create_dir_all(&options.out)
        .with_context(|| format!("cannot create {}", options.out.display()))?;
    let path = options.out.join("bench.tsv");
    let mut file = tsv::Writer::create(&path, &card)?;
    let mut rows: Vec<Row> = Vec::new();
    let mut group = "";
    for (i, case) in cases.iter().enumerate() {
        if began.elapsed() > Duration::from_secs(options.seconds) {
            eprintln!("time limit of {} s reached: {} cases were skipped", options.seconds, cases.len() - i);
            break;
        }
        if case.group != group {
            group = case.group;
            ours.clear();
            stock.inspect(|stock| stock.clear());
        }
        let mut row = timing::measure(case, ours, stock, options.rounds);
        earlier.fill(&mut row);
        if options.against == Against::Cpu && !case.runs_on_cpu() {
            row.tolerance = None;
        }
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
        // PyTorch may need the memory that the pools keep.
        ours.clear();
        stock.inspect(|stock| stock.clear());
        torch::fill(&options.python, cases, &mut rows, options.rounds);
    }
    // Again, now with PyTorch's times.
    let before = rows.clone();
    rows.iter_mut().zip(cases).for_each(|(row, case)| row.judge(case, &card, &before));
    let mut file = tsv::Writer::create(&path, &card)?;
    rows.iter().try_for_each(|row| file.write(row))?;
    std::fs::write(options.out.join("bench.md"), markdown::table(&card, &rows))?;
    if let Some(rocm) = ours.rocm.as_ref().filter(|rocm| rocm.tuning() == Tuning::On) {
        std::fs::write(options.out.join("choices.txt"), rocm.export_tuning())?;
    }
    eprintln!("wrote {} and bench.md next to it", path.display());
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every case runs on the host platform and agrees with candle's CPU backend.
    #[test]
    fn all_cases_agree_with_the_cpu() {
        // f32 only: this tests the closures; other types' kernels are tested elsewhere.
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
            assert!(!labels[..i].contains(label), "duplicate case {label}");
        }
    }
}
