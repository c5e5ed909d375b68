//! `cargo xtask card`: for somebody with an AMD card and a quarter of an hour. Runs the tests, a language model and the benchmarks
//! on it, and writes what came out to `report.md`, for people, and `report.json`, for `cargo xtask cards`.
//!
//! Neither an error, a hang nor a reset of the card ends it early. What it writes names no path, machine or user.

mod anonymous;
mod bench;
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

use crate::test::default_platform;
use crate::warm;
use anonymous::Names;
use bench::Benchmarks;
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
    let mut report = Report { machine: machine::describe(), platform, ..Report::default() };
    let names = Names::here();

    println!("Looking at the card");
    report.doctor = programs.doctor.said(&report.platform, &[], limit);
    println!("Compiling kernels that have no code object");
    match report.platform.as_str() {
        "host" => warm::host_kernels()?,
        // Seconds with the code objects of a release, minutes without.
        _ => report.prepared = programs.bench.said(&report.platform, &["--prepare"], 30 * limit),
    }

    let deadline = Instant::now() + Duration::from_secs_f64(60.0 * options.minutes.max(0.0));
    let mut limits = Limits { deadline, silence: limit, test: limit };
    println!("Testing for at most {} minutes", options.minutes);
    report.tests = tests::run(&programs, &report.platform, &limits, &mut |line| println!("  {line}"));
    if options.planted {
        limits.deadline = Instant::now() + 10 * limit;
        limits.test = Duration::from_secs(5);
        report.tests.add(tests::planted(&programs, &report.platform, &limits));
    }
    println!("Generating text");
    report.models = bench::models(&programs, &report.platform, options.model.as_deref(), 5 * limit);
    let platform = report.platform.clone();
    let bench =
        Benchmarks { program: &programs.bench, platform: &platform, quick: options.quick, silence: limit };
    println!("Choosing kernels by measurement");
    report.choices = bench.tune(limit);
    println!("Timing for at most {} seconds", options.bench_seconds);
    let sensors = sensors::watch(Path::new("/sys/class/drm"));
    report.bench = bench.run(options.bench_seconds);
    report.sensors = sensors.stop();

    let report = report.without(&names)?;
    write(&options.out, "report.json", &report.json()?)?;
    write(&options.out, "report.md", &page::page(&report))?;
    println!("\n{}", page::verdict(&report));
    println!("{}", page::what_next(&options.out));
    Ok(ExitCode::SUCCESS)
}

fn write(folder: &Path, name: &str, text: &str) -> Result<()> {
    let path = folder.join(name);
    fs::write(&path, text).with_context(|| format!("{} cannot be written", path.display()))
}
