//! The program `run` of a bundle (`cargo xtask bundle`): unpacks the tests, runs them on the card, and sums up.

#[path = "../summary.rs"]
mod summary;

use std::borrow::Cow;
use std::io::{Read, Write};
use std::num::NonZero;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{env, fs, io, thread};

use anyhow::{Context, Result, bail, ensure};
use clap::{Parser, ValueEnum};
use summary::Summary;

/// Test programs that are not run with a checker: they make the faults that it looks for, or start programs of their own.
const NOT_CHECKED: &[&str] = &[
    "fault",
    "wrong_use",
    "out_of_memory",
    "without_driver",
    "nvidia-gpu",
    "ops_table",
    "upstream-",
    "models-",
];

/// Runs the tests of this folder on an NVIDIA card.
///
/// Needs NVIDIA's driver, and NVRTC for the tests that compile (pip install nvidia-cuda-nvrtc, or a CUDA toolkit). Set
/// CANDLE_ROCM_TEST_STRICT=1 to make each skipped check a failure.
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
    /// Seconds that a test program may take.
    #[arg(long, default_value_t = 300)]
    timeout: u64,
    /// Test programs that run at the same time [default: half as many as there are cores]
    #[arg(long)]
    jobs: Option<NonZero<usize>>,
    /// Run the kernels under one of compute-sanitizer's checkers, each tensor in an allocation of its own.
    #[arg(long)]
    checker: Option<Checker>,
    /// Put before each test program, as in `--wrap "nsys profile"`.
    #[arg(long, conflicts_with = "checker")]
    wrap: Option<String>,
    /// Passed on to the test programs (for example `-- --test-threads=1 some_test`).
    #[arg(last = true)]
    arguments: Vec<String>,
}

/// The tools of compute-sanitizer.
#[derive(Clone, Copy, ValueEnum)]
enum Checker {
    /// Accesses out of bounds or misaligned.
    Memcheck,
    /// Races for shared memory.
    Racecheck,
    /// Reading device memory that was never written.
    Initcheck,
    /// Barriers that not all threads reach.
    Synccheck,
}

impl Checker {
    fn name(self) -> &'static str {
        match self {
            Checker::Memcheck => "memcheck",
            Checker::Racecheck => "racecheck",
            Checker::Initcheck => "initcheck",
            Checker::Synccheck => "synccheck",
        }
    }

    /// What goes before a program. Errors that calls return are the tests' own business.
    fn wrap(self) -> Vec<String> {
        let toolkit = Path::new("/usr/local/cuda/bin/compute-sanitizer");
        let program =
            if toolkit.exists() { toolkit.display().to_string() } else { "compute-sanitizer".to_owned() };
        let options = [
            "--tool",
            self.name(),
            "--report-api-errors",
            "no",
            "--print-limit",
            "10",
            "--error-exitcode",
            "66",
        ];
        std::iter::once(program).chain(options.map(str::to_owned)).collect()
    }
}

fn main() -> Result<ExitCode> {
    let options = Options::parse();
    let program = env::current_exe().context("this program does not know where it is")?;
    let bundle = program.parent().context("this program is in no folder")?;
    let unpacked = env::temp_dir().join(format!("candle-rocm-bundle-{}", std::process::id()));
    let result = run_all(&options, bundle, &unpacked);
    // Best effort: it is a temporary folder.
    let _ = fs::remove_dir_all(&unpacked);
    result
}

fn run_all(options: &Options, bundle: &Path, unpacked: &Path) -> Result<ExitCode> {
    let kernels = unpacked.join("kernels");
    unpack(&bundle.join("kernels"), &kernels, &[])?;
    let mut programs = unpack(&bundle.join("tests"), &unpacked.join("tests"), &options.names)?;
    if options.checker.is_some() && options.names.is_empty() {
        programs.retain(|program| !NOT_CHECKED.iter().any(|name| self::name(program).contains(name)));
    }
    ensure!(!programs.is_empty(), "no test program's name contains one of {:?}", options.names);

    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let jobs = options.jobs.map_or(cores.div_ceil(2), NonZero::get).min(programs.len());
    let next = AtomicUsize::new(0);
    let all = Mutex::new((Summary::default(), Vec::new()));
    let work = || -> Result<()> {
        while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let began = Instant::now();
            let (mut summary, mut text) = (Summary::default(), Vec::new());
            let ended = run_one(options, program, &kernels, &mut summary, (jobs > 1).then_some(&mut text))?;
            let outcome = match ended {
                Some(status) if status.success() => "ok".to_owned(),
                Some(status) => format!("FAILED ({status})"),
                None => format!("FAILED (stopped after {} s)", options.timeout),
            };
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            let name = name(program);
            io::stdout().write_all(&text)?;
            println!(
                "=== {name}: {outcome}, {} passed, {} failed, {:.1} s\n",
                summary.passed,
                summary.failed,
                began.elapsed().as_secs_f32()
            );
            if !ended.is_some_and(|status| status.success()) {
                all.1.push(format!("{name}: {outcome}"));
            }
            all.0.add(summary);
        }
        Ok(())
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
        workers
            .into_iter()
            .try_for_each(|worker| worker.join().unwrap_or_else(|_| bail!("a worker panicked")))
    })?;
    let (total, broken) = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    let checker = options.checker.map(|checker| format!(" under {}", checker.name())).unwrap_or_default();
    println!("On the {} platform{checker}, {} test programs:\n{total}", options.platform, programs.len());
    broken.iter().for_each(|line| println!("  {line}"));
    ensure!(total.passed > 0 || !broken.is_empty(), "no test ran");
    Ok(if broken.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn name(program: &Path) -> Cow<'_, str> {
    program.file_name().unwrap_or_default().to_string_lossy()
}

/// Runs one test program to its end, or to its time limit (`None`). What it says goes to `text`, or to the terminal as it comes.
fn run_one(
    options: &Options,
    program: &Path,
    kernels: &Path,
    total: &mut Summary,
    text: Option<&mut Vec<u8>>,
) -> Result<Option<ExitStatus>> {
    let mut words = match options.checker {
        Some(checker) => checker.wrap(),
        None => options.wrap.iter().flat_map(|wrap| wrap.split_whitespace()).map(str::to_owned).collect(),
    };
    words.push(program.display().to_string());
    let mut command = Command::new(&words[0]);
    command
        .args(&words[1..])
        .args(&options.arguments)
        .env("CANDLE_ROCM_PLATFORM", &options.platform)
        .env("CANDLE_ROCM_CACHE_DIR", kernels);
    if options.checker.is_some() {
        command.env("CANDLE_ROCM_POOL", "off");
    }
    if let Some(cuda) = &options.cuda {
        command.env("CANDLE_ROCM_CUDA_PATH", cuda);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("{} cannot be started", words[0]))?;
    let wait = |child: &mut Child| wait(child, Duration::from_secs(options.timeout));
    Ok(match text {
        Some(text) => total.collect(&mut child, text, wait),
        None => {
            println!("\n=== {}", name(program));
            total.follow(&mut child, wait)
        }
    }?)
}

fn wait(child: &mut Child, limit: Duration) -> io::Result<Option<ExitStatus>> {
    let began = Instant::now();
    while began.elapsed() < limit {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        thread::sleep(Duration::from_millis(20));
    }
    child.kill()?;
    child.wait()?;
    Ok(None)
}

/// Unpacks the files whose names contain one of `names` (all, if there are none), and lists what it made.
fn unpack(from: &Path, to: &Path, names: &[String]) -> Result<Vec<PathBuf>> {
    fs::create_dir_all(to).with_context(|| format!("{} cannot be made", to.display()))?;
    let mut made = Vec::new();
    for entry in fs::read_dir(from).with_context(|| format!("{} is not there", from.display()))? {
        let path = entry?.path();
        let Some(name) = path.file_stem().map(|name| name.to_string_lossy().into_owned()) else { continue };
        if path.extension().is_none_or(|extension| extension != "zst") {
            continue;
        }
        if !names.is_empty() && !names.iter().any(|wanted| name.contains(&**wanted)) {
            continue;
        }
        let packed = fs::read(&path)?;
        let mut bytes = Vec::new();
        ruzstd::decoding::StreamingDecoder::new(&packed[..])
            .map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?
            .read_to_end(&mut bytes)
            .with_context(|| format!("{} cannot be unpacked", path.display()))?;
        let target = to.join(name);
        fs::write(&target, bytes)?;
        fs::set_permissions(&target, fs::Permissions::from_mode(0o755))?;
        made.push(target);
    }
    made.sort();
    Ok(made)
}
