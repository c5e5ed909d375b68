//! The program `run` of a bundle (`cargo xtask bundle`): unpacks the tests, runs them on the card, and sums up.

#[path = "../summary.rs"]
mod summary;

use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, io, thread};

use anyhow::{Context, Result, ensure};
use clap::Parser;
use summary::Summary;

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
    /// Put before each test program, as in `--wrap "compute-sanitizer --tool memcheck"`.
    #[arg(long)]
    wrap: Option<String>,
    /// Passed on to the test programs (for example `-- --test-threads=1 some_test`).
    #[arg(last = true)]
    arguments: Vec<String>,
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
    let programs = unpack(&bundle.join("tests"), &unpacked.join("tests"), &options.names)?;
    ensure!(!programs.is_empty(), "no test program's name contains one of {:?}", options.names);

    let mut total = Summary::default();
    let mut broken = Vec::new();
    for program in &programs {
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        println!("\n=== {name}");
        let began = Instant::now();
        let (passed, failed) = (total.passed, total.failed);
        let ended = run_one(options, program, &kernels, &mut total)?;
        let outcome = match ended {
            Some(status) if status.success() => "ok".to_owned(),
            Some(status) => format!("FAILED ({status})"),
            None => format!("FAILED (stopped after {} s)", options.timeout),
        };
        if !ended.is_some_and(|status| status.success()) {
            broken.push(format!("{name}: {outcome}"));
        }
        println!(
            "=== {name}: {outcome}, {} passed, {} failed, {:.1} s",
            total.passed - passed,
            total.failed - failed,
            began.elapsed().as_secs_f32()
        );
    }
    println!("\nOn the {} platform, {} test programs:\n{total}", options.platform, programs.len());
    broken.iter().for_each(|line| println!("  {line}"));
    ensure!(total.passed > 0 || !broken.is_empty(), "no test ran");
    Ok(if broken.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Runs one test program to its end, or to its time limit (`None`).
fn run_one(
    options: &Options,
    program: &Path,
    kernels: &Path,
    total: &mut Summary,
) -> Result<Option<ExitStatus>> {
    let mut words = options.wrap.iter().flat_map(|wrap| wrap.split_whitespace());
    let mut command = match words.next() {
        Some(wrapper) => {
            let mut command = Command::new(wrapper);
            command.args(words).arg(program);
            command
        }
        None => Command::new(program),
    };
    command
        .args(&options.arguments)
        .env("CANDLE_ROCM_PLATFORM", &options.platform)
        .env("CANDLE_ROCM_CACHE_DIR", kernels);
    if let Some(cuda) = &options.cuda {
        command.env("CANDLE_ROCM_CUDA_PATH", cuda);
    }
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().with_context(|| format!("{} cannot be started", program.display()))?;
    Ok(total.follow(&mut child, |child| wait(child, Duration::from_secs(options.timeout)))?)
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
