//! `cargo xtask test`: every test of the workspace, on the platform this machine has.
//!
//! Without an AMD GPU that is the host platform, which runs the same kernels on the CPU with wavefronts of 32 and 64. Cargo hides
//! what passing tests print, so skipped checks write `SKIPPED: what: why` straight to stderr; they are collected and repeated at
//! the end, and `--strict` (or `CANDLE_ROCM_TEST_STRICT=1`) makes each of them a failure.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Mutex;

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};

/// A checking variant of the host platform's kernel compilation.
#[derive(Clone, Copy, ValueEnum)]
enum Sanitizer {
    /// Out-of-bounds accesses to global, shared and local memory.
    Address,
    /// Data races between threads, and barriers that are missing.
    Thread,
    /// Threads of a workgroup in random order, shared memory poisoned.
    Schedule,
}

impl Sanitizer {
    fn name(self) -> &'static str {
        match self {
            Sanitizer::Address => "address",
            Sanitizer::Thread => "thread",
            Sanitizer::Schedule => "schedule",
        }
    }
}

#[derive(Args)]
pub(crate) struct Options {
    /// Run the kernel tests with a checker compiled into the kernels (host platform).
    #[arg(long)]
    sanitize: Option<Sanitizer>,
    /// Fail where a check would be skipped.
    #[arg(long)]
    strict: bool,
    /// Where to run: amd, host or nvidia [default: amd when a card answers, else host]
    #[arg(long)]
    platform: Option<String>,
    /// Passed on to `cargo test` (for example `-p candle-rocm --test unary`).
    #[arg(last = true)]
    cargo: Vec<String>,
}

/// What one stream of the test run said.
#[derive(Default)]
struct Summary {
    passed: u64,
    failed: u64,
    ignored: u64,
    skipped: Vec<String>,
}

pub(crate) fn run(options: Options) -> Result<ExitCode> {
    let platform = match (&options.platform, options.sanitize) {
        (Some(platform), _) => platform.clone(),
        (None, Some(_)) => "host".to_owned(),
        (None, None) => default_platform().to_owned(),
    };
    println!("{}", announce(&platform));

    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["test", "--no-fail-fast"]).env("CANDLE_ROCM_PLATFORM", &platform);
    if options.strict {
        cargo.env("CANDLE_ROCM_TEST_STRICT", "1");
    }
    match options.sanitize {
        None if options.cargo.is_empty() => {
            cargo.arg("--workspace");
        }
        None => {}
        Some(kind) => sanitize(&mut cargo, kind, options.cargo.is_empty())?,
    }
    cargo.args(&options.cargo);

    let mut child = cargo
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("cargo test could not be started")?;
    let summary = Mutex::new(Summary::default());
    let (out, err) = (child.stdout.take(), child.stderr.take());
    std::thread::scope(|scope| {
        scope.spawn(|| out.map(|out| follow(out, std::io::stdout(), &summary)));
        scope.spawn(|| err.map(|err| follow(err, std::io::stderr(), &summary)));
    });
    let status = child.wait()?;

    let summary = summary.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
    println!("\nOn the {platform} platform:");
    for line in &summary.skipped {
        println!("  {line}");
    }
    println!(
        "{} passed, {} failed, {} skipped",
        summary.passed,
        summary.failed,
        summary.skipped.len() as u64 + summary.ignored
    );
    anyhow::ensure!(summary.passed > 0 || !status.success(), "no test ran");
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// `amd` when the HIP library is there and sees a card, else `host`.
fn default_platform() -> &'static str {
    use rocm_sys::hip::{Hip, hipError_t};
    use rocm_sys::{Library, LibraryKind, Search};
    let Ok(library) = Library::open(LibraryKind::Hip, &Search::from_env()) else { return "host" };
    let mut count = 0;
    // SAFETY: `count` is a valid place for the one integer that hipGetDeviceCount writes.
    match unsafe { Hip::new(library).hipGetDeviceCount(&mut count) } {
        Ok(hipError_t::hipSuccess) if count > 0 => "amd",
        _ => "host",
    }
}

fn announce(platform: &str) -> String {
    match platform {
        "host" => {
            "Platform: host (no AMD GPU used; kernels run on this CPU, wavefronts of 32 and 64)".to_owned()
        }
        other => format!("Platform: {other}"),
    }
}

/// Points `cargo test` at the tests that run kernels, with the environment the checker needs.
fn sanitize(cargo: &mut Command, kind: Sanitizer, whole: bool) -> Result<()> {
    let mut variables = candle_rocm_host::sanitizer_environment(kind.name()).map_err(anyhow::Error::msg)?;
    if matches!(kind, Sanitizer::Address) {
        // Each tensor an allocation of its own: the pool would hide what lies past its end.
        variables.push(("CANDLE_ROCM_POOL".to_owned(), "off".to_owned()));
    }
    if whole {
        cargo.args(["-p", "candle-rocm", "-p", "candle-rocm-host", "--tests"]);
    }
    // The checker's runtime must be preloaded into the test binaries alone, not into cargo and rustc.
    let assignments: Vec<String> = variables.iter().map(|(key, value)| format!("{key}={value}")).collect();
    let runner = format!("env {}", assignments.join(" "));
    cargo.env(runner_variable(), runner);
    println!("Checker: {} ({})", kind.name(), assignments.join(" "));
    Ok(())
}

/// Cargo's variable for the program that starts test binaries of the host triple.
fn runner_variable() -> String {
    let triple = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    format!("CARGO_TARGET_{}_RUNNER", triple.to_uppercase().replace('-', "_"))
}

/// Copies `from` to `to` as it comes and notes results and skips.
fn follow(from: impl Read, mut to: impl Write, summary: &Mutex<Summary>) {
    for line in BufReader::new(from).split(b'\n').map_while(Result::ok) {
        let text = String::from_utf8_lossy(&line);
        let _ = writeln!(to, "{text}");
        let _ = to.flush();
        let mut summary = summary.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(at) = text.find("SKIPPED: ") {
            summary.skipped.push(text[at..].to_owned());
        } else if text.starts_with("test result: ") {
            summary.passed += count_before(&text, " passed");
            summary.failed += count_before(&text, " failed");
            summary.ignored += count_before(&text, " ignored");
        }
    }
}

/// The number that stands before `word`, as in `12 passed`.
fn count_before(text: &str, word: &str) -> u64 {
    let Some(end) = text.find(word) else { return 0 };
    let digits = text[..end].rsplit(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
    digits.parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_and_skips_are_collected() {
        let text = "running 3 tests\ntest a ... SKIPPED: real HIP: libamdhip64.so not found\nok\n\
                    test result: ok. 12 passed; 1 failed; 2 ignored; 0 measured; 0 filtered out; finished in 0.5s\n";
        let (mut copy, summary) = (Vec::new(), Mutex::new(Summary::default()));
        follow(text.as_bytes(), &mut copy, &summary);
        let summary = summary.into_inner().unwrap();
        assert_eq!(String::from_utf8(copy).unwrap(), text);
        assert_eq!((summary.passed, summary.failed, summary.ignored), (12, 1, 2));
        assert_eq!(summary.skipped, ["SKIPPED: real HIP: libamdhip64.so not found"]);
    }
}
