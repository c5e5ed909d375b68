//! `cargo xtask test`: every test of both workspaces, on the platform this machine has.
//!
//! Without an AMD GPU that is the host platform, which runs the same kernels on the CPU with wavefronts of 32 and 64. Cargo hides
//! what passing tests print, so skipped checks write `SKIPPED: what: why` straight to stderr; they are collected and repeated at
//! the end, and `--strict` (or `CANDLE_ROCM_TEST_STRICT=1`) makes each of them a failure.

use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};

use crate::cargo;
use crate::summary::Summary;
use crate::warm;

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

pub(crate) fn run(options: Options) -> Result<ExitCode> {
    let platform = match (&options.platform, options.sanitize) {
        (Some(platform), _) => platform.clone(),
        (None, Some(_)) => "host".to_owned(),
        (None, None) => default_platform().to_owned(),
    };
    println!("{}", announce(&platform));

    let test = || {
        let mut cargo = cargo::command();
        cargo.args(["test", "--no-fail-fast"]).env("CANDLE_ROCM_PLATFORM", &platform);
        if options.strict {
            cargo.env("CANDLE_ROCM_TEST_STRICT", "1");
        }
        cargo
    };
    let (mut cargo, mut others) = (test(), Vec::new());
    match options.sanitize {
        None if options.cargo.is_empty() => {
            if platform == "host" {
                warm::host_kernels()?;
            }
            cargo.arg("--workspace");
            // candle's Tensor on our device, and candle's own tests: a workspace of its own, with a patched candle.
            let mut candle = test();
            candle
                .arg("--workspace")
                .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("candle"));
            others.push(candle);
        }
        None => {}
        Some(kind) => sanitize(&mut cargo, kind, options.cargo.is_empty())?,
    }
    cargo.args(&options.cargo);

    let (mut summary, mut success) = (Summary::default(), true);
    for mut cargo in std::iter::once(cargo).chain(others) {
        let mut child = cargo
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .context("cargo test could not be started")?;
        success &= summary.follow(&mut child, Child::wait)?.success();
    }
    println!("\nOn the {platform} platform:\n{summary}");
    anyhow::ensure!(summary.passed > 0 || !success, "no test ran");
    Ok(if success { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// `amd` when the HIP library is there and sees a card, else `host`.
pub(crate) fn default_platform() -> &'static str {
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
        // By name, not by package: cargo builds the dependencies as for all tests, so not once more.
        for test in kernel_tests()? {
            cargo.args(["--test", &test]);
        }
    }
    // The checker's runtime must be preloaded into the test binaries alone, not into cargo and rustc.
    let assignments: Vec<String> = variables.iter().map(|(key, value)| format!("{key}={value}")).collect();
    let runner = format!("env {}", assignments.join(" "));
    cargo.env(runner_variable(), runner);
    println!("Checker: {} ({})", kind.name(), assignments.join(" "));
    Ok(())
}

/// The test programs that run kernels: candle-rocm's, and the host platform's of the kernels themselves.
fn kernel_tests() -> Result<Vec<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut names = vec!["exec".to_owned()];
    for entry in std::fs::read_dir(root.join("candle-rocm/tests"))? {
        let path = entry?.path();
        if let (Some(name), Some("rs")) = (path.file_stem(), path.extension().and_then(|e| e.to_str())) {
            names.push(name.to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// Cargo's variable for the program that starts test binaries of the host triple.
fn runner_variable() -> String {
    let triple = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    format!("CARGO_TARGET_{}_RUNNER", triple.to_uppercase().replace('-', "_"))
}
