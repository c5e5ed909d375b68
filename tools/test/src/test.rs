//! `cargo xtask test`: runs every test of both workspaces on this machine's platform.
//!
//! Without an AMD GPU, that is the host platform, which runs the same kernels on the CPU with wavefronts of 32 and 64. Because
//! cargo hides the output of passing tests, skipped checks write `SKIPPED: what: why` directly to stderr. They are collected and
//! repeated at the end; `--strict` (or `CANDLE_ROCM_TEST_STRICT=1`) turns each of them into a failure.

mod gfx;
mod kernels;
mod runtime_only;
mod version;

use std::io;
use std::process::{Child, ExitCode};

use anyhow::{Context, Result, ensure};
use clap::{Args, ValueEnum};
use tools_common::platform::{default_platform, fixed_choices};
use tools_common::summary::{Failure, Summary};
use tools_common::{cargo, modules, root, warm};

use gfx::Gfx;
use kernels::Launches;

use crate::timings::Timings;

/// A checker that the host platform can compile into kernels.
#[derive(Clone, Copy, ValueEnum)]
enum Sanitizer {
    /// Out-of-bounds accesses to global, shared and local memory.
    Address,
    /// Data races between threads, and missing barriers.
    Thread,
    /// Random scheduling of the threads of a workgroup, and poisoned shared memory.
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
    /// Run the tests that launch every kernel of these modules, and check that each ran on wavefronts of 32 and 64 (host
    /// platform). Names of modules, folders of `rocm-kernels/hip` (`nn/`), or `all`.
    #[arg(long, value_delimiter = ',', value_name = "MODULES", conflicts_with = "cargo")]
    kernels: Vec<String>,
    /// Print the CPU-seconds of each part at the end: dependencies, crates, test programs, kernels for the CPU, tests.
    #[arg(long, conflicts_with_all = ["sanitize", "gfx"])]
    timings: bool,
    /// Fail if a check is skipped.
    #[arg(long)]
    strict: bool,
    /// The platform: amd, host, gfx or nvidia [default: amd if there is a card, else host]
    #[arg(long)]
    platform: Option<String>,
    /// Execute the machine code of these processors, e.g. `gfx1100,gfx942`, and report what of it was executed.
    #[arg(long, value_delimiter = ',', value_name = "PROCESSORS", conflicts_with_all = ["sanitize", "kernels", "platform"])]
    gfx: Vec<String>,
    /// Compile for the generic targets of these processors.
    #[arg(long, requires = "gfx")]
    generic: bool,
    /// Compile with this hiprtc instead of clang: `debian` for the newest that Debian has, or the path of libhiprtc.so or of a ROCm.
    #[arg(long, requires = "gfx", value_name = "PATH")]
    hiprtc: Option<String>,
    /// Compile with this comgr instead, without hiprtc: `debian`, or the path of libamd_comgr.so or of a ROCm.
    #[arg(long, requires = "gfx", value_name = "PATH", conflicts_with = "hiprtc")]
    comgr: Option<String>,
    /// With the HIP runtime alone: no rocBLAS and no MIOpen, and on the gfx platform no hiprtc, but comgr, which the runtime needs.
    #[arg(long, conflicts_with = "hiprtc")]
    runtime_only: bool,
    /// Run candle's own tests of this version of candle, which is not the newest. The newest's are among all tests.
    #[arg(long, value_name = "VERSION", conflicts_with_all = ["sanitize", "kernels", "gfx", "candle", "timings"])]
    candle_version: Option<String>,
    /// Pass the arguments on in the workspace candle/, whose tests use candle's Tensor.
    #[arg(long, requires = "cargo")]
    candle: bool,
    /// Passed on to `cargo test` (for example `--test elementwise unary::`).
    #[arg(last = true)]
    cargo: Vec<String>,
}

/// For the host platform's runtime, which the gfx platform shares.
const RUNTIME_ONLY: (&str, &str) = ("CANDLE_ROCM_HOST_RUNTIME_ONLY", "on");

pub(crate) fn run(options: Options) -> Result<ExitCode> {
    let modules = modules::select(&options.kernels)?;
    let checked = options.sanitize.is_some() || !modules.is_empty();
    let gfx = (!options.gfx.is_empty()).then(|| Gfx::new(&options)).transpose()?;
    let platform = match &options.platform {
        _ if gfx.is_some() => "gfx".to_owned(),
        Some(platform) => platform.clone(),
        None if checked => "host".to_owned(),
        None => default_platform().to_owned(),
    };
    ensure!(!checked || platform == "host", "only the host platform checks kernels: --platform {platform}");
    println!("{}", announce(&platform));
    let checker = options.sanitize.map(Checker::new).transpose()?;
    let launches = if modules.is_empty() { None } else { Some(Launches::new()?) };

    let timings = options.timings.then(Timings::new).transpose()?;
    let test = || {
        let mut cargo = timings.as_ref().map_or_else(cargo::command, Timings::cargo);
        cargo.args(["test", "--no-fail-fast"]).env("CANDLE_ROCM_PLATFORM", &platform);
        // The summary reads what it says.
        cargo.envs([("CARGO_TERM_COLOR", "never"), ("CARGO_TERM_QUIET", "false")]);
        if options.strict {
            cargo.env("CANDLE_ROCM_TEST_STRICT", "1");
        }
        cargo.envs(fixed_choices());
        if options.runtime_only {
            cargo.envs([RUNTIME_ONLY]);
        }
        if let Some(checker) = &checker {
            cargo.env(runner_variable(), &checker.runner);
        }
        if let Some(gfx) = &gfx {
            cargo.envs(gfx.variables());
        }
        if let Some((name, path)) = launches.as_ref().map(Launches::variable) {
            cargo.env(name, path);
        }
        cargo
    };
    if options.runtime_only {
        runtime_only::check(&test(), gfx.is_some())?;
    }
    // candle's Tensor on our device, and candle's own tests: another workspace, with a patched candle.
    let test_candle = || {
        let mut cargo = test();
        cargo.args(["--features", "candle-rocm-demo/hf"]).current_dir(root().join("candle"));
        cargo
    };
    // Kernels that fusion generates, and what streams read of each other's memory.
    let test_in_candle = || {
        let programs: [&[&str]; 2] = [
            &["--test", "fusion", "--test", "copies"],
            &["--test", "random_programs", "--", "--exact", "for_the_checkers"],
        ];
        programs.map(|arguments| {
            let mut cargo = test_candle();
            cargo.args(arguments);
            cargo
        })
    };
    let mut runs = Vec::new();
    if let Some(version) = &options.candle_version {
        let mut cargo = test();
        cargo.current_dir(version::workspace(version)?).env("CARGO_TARGET_DIR", root().join("target"));
        cargo.args(&options.cargo);
        runs.push(cargo);
    } else if !modules.is_empty() {
        for tests in kernels::tests_of(&modules) {
            let mut cargo = test();
            cargo.args(["--test", tests.program, "--"]).args(tests.arguments());
            runs.push(cargo);
        }
        if checker.is_some() && options.kernels == ["all"] {
            runs.extend(test_in_candle());
        }
    } else if !options.cargo.is_empty() {
        let mut cargo = if options.candle { test_candle() } else { test() };
        cargo.args(&options.cargo);
        runs.push(cargo);
    } else if checker.is_some() || gfx.is_some() {
        let mut cargo = test();
        // By name rather than by package, so that cargo reuses the dependencies as built for all tests.
        for test in if gfx.is_some() { Gfx::tests()? } else { kernel_tests()? } {
            cargo.args(["--test", &test]);
        }
        runs.push(cargo);
        if gfx.is_some() {
            let mut candle = test_candle();
            candle.args(Gfx::candle_tests()?);
            let mut generated = test();
            generated.args(["--lib", "--", "fusion::generated"]);
            runs.extend([candle, generated]);
        } else {
            runs.extend(test_in_candle());
        }
    } else {
        if platform == "host" {
            timings.as_ref().map_or(Ok(()), Timings::kernels)?;
            warm::host_kernels(candle_rocm_host::symbol)?;
        }
        runs.extend([test(), test_candle()]);
    }

    let (mut summary, mut success, mut again) = (Summary::default(), true, Vec::new());
    for cargo in runs {
        // The other workspace's runs alone have a folder.
        let candle = cargo.get_current_dir().is_some();
        let mut one = Summary::default();
        success &=
            one.run(cargo, io::stdout(), Child::wait).context("cargo test could not be started")?.success();
        again.extend(one.failures.iter().map(|failure| options.again(failure, candle)));
        summary.add(one);
    }
    if let Some(timings) = &timings {
        println!("\n{}", timings.table()?);
    }
    println!("\nOn the {platform} platform:\n{summary}");
    ensure!(summary.passed > 0 || !success, "no test ran");
    let check = || -> Result<()> {
        if let Some(gfx) = &gfx {
            gfx.print_rates()?;
            if options.cargo.is_empty() {
                gfx.check()?;
            }
        }
        if let Some(launches) = &launches {
            let count = launches.check(&modules)?;
            println!(
                "All {count} kernels of {} modules were launched on wavefronts of 32 and 64",
                modules.len()
            );
        }
        Ok(())
    };
    let checked = check();
    if !again.is_empty() {
        println!("\nFailed, and how to run it again:");
        again.iter().for_each(|line| println!("  {line}"));
    }
    checked?;
    Ok(if success { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

impl Options {
    /// A failed test, and the command that runs it alone on the same platform, with what is built.
    fn again(&self, failure: &Failure, candle: bool) -> String {
        let mut words = vec!["cargo xtask test".to_owned()];
        words.extend(self.platform.iter().map(|platform| format!("--platform {platform}")));
        words.extend(self.sanitize.map(|sanitizer| format!("--sanitize {}", sanitizer.name())));
        words.extend(self.candle_version.iter().map(|version| format!("--candle-version {version}")));
        words.extend((!self.gfx.is_empty()).then(|| format!("--gfx {}", self.gfx.join(","))));
        words.extend(self.generic.then(|| "--generic".to_owned()));
        words.extend(self.hiprtc.iter().map(|path| format!("--hiprtc {path}")));
        words.extend(self.comgr.iter().map(|path| format!("--comgr {path}")));
        words.extend(self.runtime_only.then(|| "--runtime-only".to_owned()));
        // All of a workspace, so that cargo takes what it built. The other one's runs are of all of it anyway.
        words.push(if candle && self.candle_version.is_none() { "--candle --" } else { "--" }.to_owned());
        let program = match failure.program.strip_prefix("-p ").and_then(|rest| rest.split_once(' ')) {
            Some((_, program)) => program,
            None => &failure.program,
        };
        words.push(program.to_owned());
        match &failure.test {
            Some(test) => {
                // Those of documentation have spaces.
                let quoted = if test.contains(' ') { format!("'{test}'") } else { test.clone() };
                format!("{test}: {} -- --exact {quoted}", words.join(" "))
            }
            None => format!("{} ended before its tests did: {}", failure.program, words.join(" ")),
        }
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

/// How test programs are started with a checker.
struct Checker {
    /// Cargo's runner: the checker's runtime must only be preloaded into the test programs, not into cargo and rustc.
    runner: String,
}

impl Checker {
    fn new(kind: Sanitizer) -> Result<Self> {
        let name = kind.name();
        let mut variables = candle_rocm_host::sanitizer_environment(name).map_err(anyhow::Error::msg)?;
        if matches!(kind, Sanitizer::Address) {
            // Every tensor needs an allocation of its own: the pool would hide out-of-bounds accesses.
            variables.push(("CANDLE_ROCM_POOL".to_owned(), "off".to_owned()));
        }
        let assignments: Vec<String> =
            variables.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let assignments = assignments.join(" ");
        println!("Checker: {name} ({assignments})");
        Ok(Self { runner: format!("env {assignments}") })
    }
}

/// The test programs that run kernels: candle-rocm's and rocm-hip's, and the host platform's `exec`.
fn kernel_tests() -> Result<Vec<String>> {
    let mut names = vec!["exec".to_owned()];
    for package in ["candle-rocm", "rocm-hip"] {
        names.extend(test_programs(package)?);
    }
    names.sort();
    Ok(names)
}

/// The test programs of a package of this workspace.
fn test_programs(package: &str) -> Result<Vec<String>> {
    cargo::test_programs(&root().join(package))
}

/// Cargo's variable for the runner of the host triple.
fn runner_variable() -> String {
    let triple = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    format!("CARGO_TARGET_{}_RUNNER", triple.to_uppercase().replace('-', "_"))
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        options: Options,
    }

    /// The command is one that this task takes, and passes the right arguments on.
    #[test]
    fn a_failed_test_comes_with_the_command_for_it() {
        let again = |given: &[&str], program: &str, test: Option<&str>, candle| {
            let options = Cli::parse_from(["test"].iter().chain(given)).options;
            let failure = Failure { program: program.to_owned(), test: test.map(str::to_owned) };
            let line = options.again(&failure, candle);
            let (_, command) = line.split_once("cargo xtask ").expect("a command");
            let options = Cli::parse_from(command.split_whitespace()).options;
            (line, options.candle, options.cargo.join(" "))
        };
        let (line, candle, cargo) = again(&[], "-p rocm-rccl --test processes", Some("two"), false);
        assert_eq!(line, "two: cargo xtask test -- --test processes -- --exact two");
        assert_eq!((candle, &*cargo), (false, "--test processes -- --exact two"));
        let given = ["--gfx", "gfx1100", "--runtime-only", "--comgr", "debian"];
        let (line, ..) = again(&given, "-p candle-rocm --test nn", Some("softmax"), false);
        assert!(line.contains("--gfx gfx1100 --comgr debian --runtime-only -- "), "{line}");
        let given = ["--gfx", "gfx942,gfx1100", "--generic", "--strict"];
        let (line, candle, cargo) = again(&given, "-p candle-rocm-tests --test fusion", Some("a::b"), true);
        assert!(
            line.starts_with("a::b: cargo xtask test --gfx gfx942,gfx1100 --generic --candle -- "),
            "{line}"
        );
        assert_eq!((candle, &*cargo), (true, "--test fusion -- --exact a::b"));
        let (line, ..) =
            again(&["--sanitize", "address", "--kernels", "all"], "-p rocm-hip --lib", None, false);
        let words =
            "-p rocm-hip --lib ended before its tests did: cargo xtask test --sanitize address -- --lib";
        assert_eq!(line, words);
    }
}
