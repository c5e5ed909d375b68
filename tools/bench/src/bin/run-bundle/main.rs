//! The program `run` of a bundle (`cargo xtask bundle`): unpacks the tests, runs them on the card, and sums up.

mod checker;
mod job;
mod kernels;
#[path = "../../nvrtc.rs"]
mod nvrtc;
mod unpack;

use std::io::Write;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, ExitStatus};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{env, fs, io, thread};

use anyhow::{Context, Result, bail, ensure};
use checker::Checker;
use clap::Parser;
use job::{Job, Outcome};
use tools_common::summary::Summary;

/// Runs the tests of this folder on an NVIDIA card.
///
/// Needs NVIDIA's driver, and NVRTC for the tests that compile (pip install nvidia-cuda-nvrtc, or a CUDA toolkit). Kernels that
/// did not come with the folder are compiled first and kept in it. Set CANDLE_ROCM_TEST_STRICT=1 to make each skipped check a
/// failure.
#[derive(Parser)]
struct Options {
    /// Only the test programs whose names contain one of these.
    names: Vec<String>,
    /// The folder of libnvrtc.so.*, unless the loader finds it.
    #[arg(long)]
    cuda: Option<PathBuf>,
    /// The platform.
    #[arg(long, default_value = "nvidia")]
    platform: String,
    /// Seconds that a test program may take (with a checker: a test).
    #[arg(long, default_value_t = 300)]
    timeout: u64,
    /// Seconds for everything: what has not ended by then is stopped, and the sum is of what has.
    #[arg(long)]
    within: Option<u64>,
    /// Processes that run at the same time [default: half as many as there are cores]
    #[arg(long)]
    jobs: Option<NonZero<usize>>,
    /// Run the kernels under one of compute-sanitizer's checkers: each test in a process of its own, each tensor in an
    /// allocation of its own.
    #[arg(long)]
    checker: Option<Checker>,
    /// Put before each test program, as in `--wrap "nsys profile"`.
    #[arg(long, conflicts_with = "checker")]
    wrap: Option<String>,
    /// Passed on to the test programs (for example `-- --test-threads=1 some_test`).
    #[arg(last = true)]
    arguments: Vec<String>,
}

fn main() -> Result<ExitCode> {
    let options = Options::parse();
    if let Some(cuda) = &options.cuda {
        // SAFETY: this program has no other threads yet.
        unsafe { env::set_var("CANDLE_ROCM_CUDA_PATH", cuda) };
    }
    let program = env::current_exe().context("this program does not know where it is")?;
    let bundle = program.parent().context("this program is in no folder")?;
    let unpacked = tempfile::tempdir().context("there is no place for the tests")?;
    run_all(&options, bundle, unpacked.path())
}

fn run_all(options: &Options, bundle: &Path, unpacked: &Path) -> Result<ExitCode> {
    let began = Instant::now();
    let mut programs = unpack::unpack(&bundle.join("tests"), &unpacked.join("tests"), &options.names)?;
    let kernels = match bundle.join("compiled") {
        folder if fs::create_dir_all(&folder).is_ok() => folder,
        _ => unpacked.join("compiled"),
    };
    unpack::unpack(&bundle.join("kernels"), &kernels, &[])?;
    if options.platform == "nvidia" && options.names.is_empty() {
        kernels::complete(&kernels)?;
    }
    if let Some(checker) = options.checker.filter(|_| options.names.is_empty()) {
        programs.retain(|program| checker.concerns(&job::name(program)));
    }
    ensure!(!programs.is_empty(), "no test program's name contains one of {:?}", options.names);

    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let workers = options.jobs.map_or(cores.div_ceil(2), NonZero::get);
    let jobs = jobs(options, &programs)?;
    let library = bundle.join("lib/libcandle_rocm_nvidia.so");
    let library =
        fs::canonicalize(&library).with_context(|| format!("{} is not there", library.display()))?;
    let run =
        Run { options, kernels: &kernels, library: &library, aloud: workers.min(jobs.len()) == 1, began };
    let next = AtomicUsize::new(0);
    let all = Mutex::new((Summary::default(), Vec::new()));
    let work = || -> Result<()> {
        while let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let Some((outcome, summary, text)) = run.one(job)? else {
                let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
                all.1.push(format!("{}: not begun, the time was over", job.name()));
                continue;
            };
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            // Of hundreds of processes those that have something to say.
            if job.test.is_none() || !outcome.good() || !summary.skipped.is_empty() {
                io::stdout().write_all(&text)?;
            }
            let (name, words, seconds) = (job.name(), outcome.words(), outcome.seconds);
            let count = match &job.test {
                None => format!(", {} passed, {} failed", summary.passed, summary.failed),
                Some(_) => String::new(),
            };
            println!("=== {name}: {words}{count}, {seconds:.1} s");
            if !outcome.good() {
                all.1.push(format!("{name}: {words}"));
            }
            all.0.add(summary);
        }
        Ok(())
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..workers.min(jobs.len())).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().unwrap_or_else(|_| bail!("a worker panicked")))
    })?;
    let (total, broken) = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    let checker = options.checker.map(|checker| format!(" under {}", checker.name())).unwrap_or_default();
    println!(
        "\nOn the {} platform{checker}, {} test programs, {:.0} s:\n{total}",
        options.platform,
        programs.len(),
        began.elapsed().as_secs_f32()
    );
    broken.iter().for_each(|line| println!("  {line}"));
    ensure!(total.passed > 0 || !broken.is_empty(), "no test ran");
    Ok(if broken.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A process for each program; with a checker, unless there are arguments for the programs, for each test.
fn jobs<'a>(options: &Options, programs: &'a [PathBuf]) -> Result<Vec<Job<'a>>> {
    let Some(checker) = options.checker.filter(|_| options.arguments.is_empty()) else {
        return Ok(programs.iter().map(|program| Job { program, test: None }).collect());
    };
    let mut jobs = Vec::new();
    for program in programs {
        jobs.extend(Job::tests_of(program)?);
    }
    jobs.retain(|job| checker.concerns(&job.name()));
    Ok(jobs)
}

/// What all processes have in common.
struct Run<'a> {
    options: &'a Options,
    kernels: &'a Path,
    /// The platform's.
    library: &'a Path,
    /// One process at a time, which writes to the terminal as it goes.
    aloud: bool,
    began: Instant,
}

impl Run<'_> {
    /// Seconds that a process may take which starts now. None: it need not start.
    fn limit(&self) -> Option<Duration> {
        let left = match self.options.within {
            Some(seconds) => Duration::from_secs(seconds).checked_sub(self.began.elapsed())?,
            None => Duration::MAX,
        };
        Some(left.min(Duration::from_secs(self.options.timeout)))
    }

    fn one(&self, job: &Job<'_>) -> Result<Option<(Outcome, Summary, Vec<u8>)>> {
        let Some((mut outcome, summary, text)) = self.attempt(job, false)? else { return Ok(None) };
        let checked = self.options.checker.is_some();
        if checked && summary.passed > 0 && summary.failed == 0 && checker::used_no_card(&text) {
            outcome.status = Some(ExitStatus::default());
        }
        if checked && !outcome.good() && checker::lost_track(&text) {
            println!("=== {}: the checker failed, once more", job.name());
            if let Some(again) = self.attempt(job, true)? {
                return Ok(Some(again));
            }
        }
        Ok(Some((outcome, summary, text)))
    }

    fn attempt(&self, job: &Job<'_>, again: bool) -> Result<Option<(Outcome, Summary, Vec<u8>)>> {
        let Some(limit) = self.limit() else { return Ok(None) };
        let mut variables = vec![
            ("CANDLE_ROCM_PLATFORM", self.options.platform.clone()),
            ("CANDLE_ROCM_CACHE_DIR", self.kernels.display().to_string()),
            ("CANDLE_ROCM_NVIDIA_LIBRARY", self.library.display().to_string()),
        ];
        let before = match self.options.checker {
            Some(checker) => {
                variables.push(("CANDLE_ROCM_POOL", "off".to_owned()));
                // Tests do with fewer elements then.
                variables.push(("CANDLE_ROCM_TEST_CHECKER", checker.name().to_owned()));
                checker.wrap(again)
            }
            None => {
                let wrap = self.options.wrap.iter().flat_map(|wrap| wrap.split_whitespace());
                wrap.map(str::to_owned).collect()
            }
        };
        let (mut summary, mut text) = (Summary::default(), Vec::new());
        let aloud = self.aloud && self.options.checker.is_none();
        let to = (!aloud).then_some(&mut text);
        let outcome = job.run(&before, &self.options.arguments, &variables, limit, &mut summary, to)?;
        Ok(Some((outcome, summary, text)))
    }
}
