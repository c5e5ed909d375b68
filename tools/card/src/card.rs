//! `cargo xtask card`: for somebody with an AMD card and a quarter of an hour. Runs the tests, a language model and the benchmarks
//! on it, and writes what came out to `report.md`, for people, and `report.json`, for `cargo xtask cards`.
//!
//! Neither an error, a hang nor a reset of the card ends it early, and what was done so far is on disk all the time. What it writes names
//! no path, machine or user.

mod anonymous;
mod bench;
mod cache;
mod interrupt;
mod listener;
mod machine;
mod page;
mod programs;
pub(crate) mod report;
mod sensors;
mod tests;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use clap::Args;
use tools_common::platform::default_platform;
use tools_common::warm;

use anonymous::Names;
use bench::Benchmarks;
use cache::OwnCache;
use programs::Programs;
use report::Report;
use tests::Limits;

#[derive(Args)]
pub(crate) struct Options {
    /// The folder for report.md and report.json.
    #[arg(long, default_value = "card-report")]
    out: PathBuf,
    /// The platform: amd, host or nvidia [default: amd if there is a card, else host]
    #[arg(long)]
    platform: Option<String>,
    /// Start no test after this many minutes.
    #[arg(long, default_value_t = 5.0)]
    minutes: f64,
    /// Start no benchmark after this many seconds.
    #[arg(long, default_value_t = 240)]
    bench_seconds: u64,
    /// Small shapes and unoptimized programs: says whether all of this works, not how fast the card is.
    #[arg(long)]
    quick: bool,
    /// Kill a test that takes longer than this many seconds, or a program in which no test ends for as long.
    #[arg(long, default_value_t = 120)]
    limit: u64,
    /// A GGUF file to generate text with too, here and with llama.cpp's llama-bench if it is installed.
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// Include tests that fault, hang and are wrong on purpose.
    #[arg(long, hide = true)]
    planted: bool,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let platform = options.platform.clone().unwrap_or_else(|| default_platform().to_owned());
    fs::create_dir_all(&options.out)
        .with_context(|| format!("{} cannot be created", options.out.display()))?;
    println!("Platform: {platform}. Building; the report will be in {}.", options.out.display());
    let programs = Programs::build(options.quick)?;
    let limit = Duration::from_secs(options.limit.max(1));
    let mut report = Report {
        machine: machine::describe(),
        platform: platform.clone(),
        quick: options.quick,
        ..Report::default()
    };
    let file = File { folder: &options.out, names: Names::here() };
    let step = |report: &mut Report, what: &str| {
        println!("{what}");
        report.unfinished = Some(what.to_owned());
        file.write(report)
    };

    step(&mut report, "Looking at the card")?;
    interrupt::watch(&options.out, &OwnCache::place())?;
    report.doctor = programs.doctor.said(&platform, &[], limit);
    step(&mut report, "Compiling kernels that have no code object")?;
    match platform.as_str() {
        "host" => warm::host_kernels(candle_rocm_host::symbol)?,
        // Seconds with the code objects of a release, minutes without.
        _ => report.prepared = programs.bench.said(&platform, &["--prepare"], 30 * limit),
    }

    let deadline = Instant::now() + Duration::from_secs_f64(60.0 * options.minutes.max(0.0));
    let mut limits = Limits { deadline, silence: limit, test: limit };
    step(&mut report, &format!("Testing for at most {} minutes", options.minutes))?;
    report.tests = tests::run(&programs, &platform, &limits, &mut |so_far, line| {
        line.iter().for_each(|line| println!("  {line}"));
        report.tests = so_far.clone();
        // The next one may succeed.
        let _ = file.write(&report);
    });
    if options.planted {
        limits.deadline = Instant::now() + 10 * limit;
        limits.test = Duration::from_secs(5);
        report.tests.add(tests::planted(&programs, &platform, &limits));
    }
    step(&mut report, "Generating text")?;
    report.models = bench::models(&programs, &platform, options.model.as_deref(), 5 * limit);
    let cache = OwnCache::new()?;
    let bench = Benchmarks {
        program: &programs.bench,
        platform: &platform,
        quick: options.quick,
        cache: cache.folder(),
        silence: limit,
    };
    step(&mut report, "Choosing kernels by measurement, for this report alone")?;
    report.choices = bench.tune(limit);
    step(&mut report, &format!("Timing for at most {} seconds", options.bench_seconds))?;
    let sensors = sensors::watch();
    report.bench = bench.run(options.bench_seconds, &mut |so_far| {
        report.bench = so_far.clone();
        file.write(&report)
    })?;
    report.sensors = sensors.stop();

    report.unfinished = None;
    file.write(&report)?;
    println!("\n{}", page::verdict(&report));
    println!("{}", page::what_next(&options.out));
    Ok(ExitCode::SUCCESS)
}

/// Where a report is written.
struct File<'a> {
    folder: &'a Path,
    names: Names,
}

impl File<'_> {
    /// Replaces what was there, whole.
    fn write(&self, report: &Report) -> Result<()> {
        let report = report.without(&self.names)?;
        self.replace("report.json", &report.json()?)?;
        self.replace("report.md", &page::page(&report))
    }

    fn replace(&self, name: &str, text: &str) -> Result<()> {
        let (path, new) = (self.folder.join(name), self.folder.join(format!(".{name}.new")));
        fs::write(&new, text)
            .and_then(|()| fs::rename(&new, &path))
            .with_context(|| format!("{} cannot be written", path.display()))
    }
}

#[cfg(test)]
mod writing {
    use super::*;

    #[test]
    fn an_unfinished_report_is_replaced_whole() {
        let folder = tempfile::tempdir().unwrap();
        let file = File { folder: folder.path(), names: Names::here() };
        let mut report = Report { unfinished: Some("Generating text".to_owned()), ..Report::default() };
        let pages = [true, false].map(|unfinished| {
            report.unfinished = report.unfinished.take().filter(|_| unfinished);
            file.write(&report).unwrap();
            fs::read_to_string(folder.path().join("report.md")).unwrap()
        });
        assert!(
            pages[0].contains("**Interrupted** at: Generating text") && !pages[1].contains("Interrupted")
        );
        let mut names: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["report.json", "report.md"], "nothing half-written is left");
    }
}
