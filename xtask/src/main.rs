//! `cargo xtask`: starts the program that has the task. This one has no dependencies, and each of the others has its own, so no task
//! waits for what only another one needs.

mod demo;
mod timings;

use std::env;
use std::ffi::OsString;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use Program::{Candle, Demo, Doctor, Tool};

/// What has a task.
#[derive(Clone, Copy)]
enum Program {
    /// The program of this package in tools/, which knows its tasks by their names.
    Tool(&'static str),
    /// A program of candle/overlay, in the other workspace.
    Candle(&'static str),
    /// The demo's of candle/demo.
    Demo,
    /// Another of candle/demo.
    Doctor,
}

/// Each task, and what `cargo xtask --help` says of it. Those of which it says nothing are parts of others.
const TASKS: [(&str, Program, &str); 25] = [
    (
        "bench",
        Tool("bench"),
        "Times candle-rocm beside candle's CUDA backend and PyTorch on the same NVIDIA card, and writes the tables",
    ),
    (
        "bindgen",
        Tool("bindings"),
        "Generates the bindings of rocm-sys from ROCm's headers, or checks that they are up to date",
    ),
    (
        "bound",
        Tool("machine-code"),
        "Says how near to the limits of AMD's cards the benchmarks' kernels can come at most, from executing their machine code",
    ),
    (
        "build-kernels",
        Tool("kernels"),
        "Compiles the kernels for AMD GPUs and reports registers, spills, scratch and sizes",
    ),
    ("bundle", Tool("bench"), "Packs the tests for a machine that has an NVIDIA card but no Rust"),
    ("card", Tool("card"), "Tests and benchmarks the card of this machine, and writes a report for an issue"),
    (
        "cards",
        Tool("test"),
        "Checks or writes the table in docs/book/src/cards.md: cards, their processors and the code objects they run",
    ),
    (
        "check-symbols",
        Tool("bindings"),
        "Checks that every function bound by rocm-sys exists in the real libraries",
    ),
    (
        "coverage",
        Tool("machine-code"),
        "Reports which machine code, and which source lines of the kernels, the tests of `test --gfx` executed",
    ),
    ("demo", Demo, "Generates text with a language model, on the AMD card if there is one, else on the CPU"),
    (
        "doctor",
        Doctor,
        "Reports the platform, libraries, devices and kernels found on this machine, and runs a kernel on each device",
    ),
    (
        "fused-kernels",
        Tool("test"),
        "Checks or writes rocm-kernels/hip/fusion/fused.hip: the kernels that fusion generates for models, by running steps of them",
    ),
    ("machine-code", Tool("machine-code"), ""),
    (
        "ops-table",
        Tool("test"),
        "Checks or writes the table in docs/book/src/operations.md: operations, dtypes and engines, by running each of them",
    ),
    (
        "overlay",
        Candle("overlay"),
        "Writes candle's sources with a ROCm device, records changes to them, or copies the stock crates",
    ),
    ("parity", Tool("parity"), "Compares the names and parameters of our kernels with candle-kernels"),
    (
        "predict",
        Tool("machine-code"),
        "Says how long kernels take on AMD's cards, by a model of time that is checked against published measurements",
    ),
    (
        "programs",
        Tool("test"),
        "Tests programs that others wrote, as crates.io has them, on the AMD card if there is one, else on the CPU",
    ),
    ("release", Tool("release"), "Prepares, checks and publishes a release"),
    (
        "rocm-rs",
        Tool("bindings"),
        "Builds rocm-hip's exchange with the crate rocm-rs against ROCm's headers, and tests it",
    ),
    (
        "runtime",
        Tool("test"),
        "Looks at a machine with the HIP runtime and nothing else: its packages, and what candle-rocm finds there",
    ),
    ("test", Tool("test"), "Runs every test, on the AMD card if there is one, else on the CPU"),
    ("upstream", Candle("upstream"), "Writes the seam as a series of commits for candle itself"),
    (
        "variables",
        Tool("test"),
        "Checks or writes the tables in docs/book/src/environment.md: environment variables",
    ),
    (
        "windows",
        Tool("test"),
        "Builds the published crates for Windows and runs tests there, by Wine on other systems: loader, files, processes, kernels on the CPU",
    ),
];

fn main() -> ExitCode {
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let task = arguments.first().map(|task| task.to_string_lossy()).unwrap_or_default();
    let status = match &*task {
        _ if timings::is_program(&arguments) => timings::run(&arguments),
        "-h" | "--help" | "help" => match arguments.get(1) {
            Some(of) => start(&[of.clone(), "--help".into()]),
            None => {
                print!("{}", help());
                return ExitCode::SUCCESS;
            }
        },
        "" => {
            eprint!("{}", help());
            return ExitCode::from(2);
        }
        _ => start(&arguments),
    };
    match status {
        // Cargo's own, or the program's; none after a signal.
        Ok(status) => status.code().map_or(ExitCode::FAILURE, |code| ExitCode::from(code as u8)),
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn help() -> String {
    let mut text =
        "Builds, checks, tests and measures candle-rocm.\n\nUsage: cargo xtask <TASK>\n\nTasks:\n".to_owned();
    for (name, _, says) in TASKS.iter().filter(|(.., says)| !says.is_empty()) {
        text += &format!("  {name:<13}  {says}\n");
    }
    text + "\nOptions of a task: cargo xtask <TASK> --help\n"
}

/// Starts what has the task that the arguments begin with.
fn start(arguments: &[OsString]) -> io::Result<ExitStatus> {
    let task = arguments[0].to_string_lossy();
    match TASKS.iter().find(|(name, ..)| *name == task) {
        Some((_, program, _)) => run(*program, arguments),
        None => Err(io::Error::other(no_task(&task))),
    }
}

fn no_task(task: &str) -> String {
    let listed = TASKS.iter().filter(|(.., says)| !says.is_empty());
    // Whoever wrote the beginning knew the rest.
    let wrong = |name: &str| if name.starts_with(task) { 1 } else { distance(task, name) };
    match listed.map(|(name, ..)| (wrong(name), *name)).min() {
        // Two letters that changed places are two wrong ones.
        Some((wrong, name)) if wrong * 2 <= task.chars().count() => {
            format!("there is no task `{task}`; did you mean `{name}`? `cargo xtask --help` lists them")
        }
        _ => format!("there is no task `{task}`: `cargo xtask --help` lists them"),
    }
}

/// How many letters have to be changed, added or taken away to make one of the other (Levenshtein).
fn distance(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.chars().count()).collect();
    for (i, a) in one.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in other.chars().enumerate() {
            let change = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row.last().copied().unwrap_or_default()
}

fn run(program: Program, arguments: &[OsString]) -> io::Result<ExitStatus> {
    match program {
        Tool(name) => tool(&format!("tools-{name}"), arguments),
        Candle(name) => of_candle("run", "candle/overlay/Cargo.toml")
            .args(["--quiet", "--bin", name, "--"])
            .args(&arguments[1..])
            .status(),
        Demo => demo::run(&arguments[1..]),
        Doctor => demo::doctor(&arguments[1..]),
    }
}

/// With all default members in view, dependencies have the features that `cargo xtask test` builds them with. What needs the
/// interpreter is none of them.
fn tool(name: &str, arguments: &[OsString]) -> io::Result<ExitStatus> {
    let this = env::current_exe()?;
    let mut cargo = cargo("build", "Cargo.toml");
    if arguments.iter().take_while(|argument| *argument != "--").any(|argument| argument == "--timings") {
        timings::begin()?;
        cargo = timings::through(&this, &cargo);
    }
    if name == "tools-machine-code" {
        cargo.arg("--workspace");
    }
    let built = build(cargo.args(["--bin", name]))?;
    if !built.success() {
        return Ok(built);
    }
    let program = this.with_file_name(format!("{name}{}", env::consts::EXE_SUFFIX));
    Command::new(&program)
        .args(arguments)
        .status()
        .map_err(|error| io::Error::other(format!("{} could not be started: {error}", program.display())))
}

/// Of the other workspace, which shares this one's folder for builds where the current folder is in it.
fn of_candle(what: &str, manifest: &str) -> Command {
    let mut cargo = cargo(what, manifest);
    if env::var_os("CARGO_TARGET_DIR").is_none() {
        cargo.env("CARGO_TARGET_DIR", root().join("target"));
    }
    cargo
}

fn cargo(what: &str, manifest: &str) -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args([what, "--manifest-path"]).arg(root().join(manifest));
    cargo
}

/// Runs `cargo build`, and says so once something is built, and how far it is now and then. What is wrong is passed on.
fn build(cargo: &mut Command) -> io::Result<ExitStatus> {
    cargo.envs([("CARGO_TERM_COLOR", "never"), ("CARGO_TERM_QUIET", "false")]);
    let mut child = cargo.stderr(Stdio::piped()).spawn()?;
    if let Some(said) = child.stderr.take() {
        let began = Instant::now();
        relay(BufReader::new(said), io::stderr(), || began.elapsed());
    }
    child.wait()
}

/// How often it is said how far a build is.
const SILENCE: Duration = Duration::from_secs(20);

/// Of what cargo says, all but how far it is, which is said in a line at first and then no more often than [`SILENCE`].
fn relay(said: impl BufRead, mut to: impl Write, now: impl Fn() -> Duration) {
    let (mut packages, mut announced) = (0, None);
    for line in said.split(b'\n').map_while(Result::ok) {
        let text = String::from_utf8_lossy(&line);
        let progress = Progress::of(&text);
        packages += usize::from(progress == Some(Progress::Compiles));
        let shown = match (progress, announced) {
            (None, _) => text,
            (Some(Progress::Fetches | Progress::Compiles), None) => {
                "Building; the first time takes minutes…".into()
            }
            (Some(Progress::Compiles), Some(last)) if now() >= last + SILENCE => {
                format!("Building; {packages} packages so far: {}…", text.trim()).into()
            }
            (Some(_), _) => continue,
        };
        if progress.is_some() {
            announced = Some(now());
        }
        // A closed stderr must not cause a failure.
        let _ = writeln!(to, "{shown}");
    }
}

/// A line that says how far cargo is, its first word right-aligned.
#[derive(Clone, Copy, PartialEq)]
enum Progress {
    Fetches,
    Compiles,
    Other,
}

impl Progress {
    fn of(line: &str) -> Option<Self> {
        let (word, _) = line.strip_prefix(' ')?.trim_start().split_once(' ')?;
        match word {
            "Compiling" => Some(Self::Compiles),
            "Downloading" | "Updating" => Some(Self::Fetches),
            "Downloaded" | "Locking" | "Adding" | "Finished" | "Fresh" | "Dirty" => Some(Self::Other),
            _ => None,
        }
    }
}

fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::fs;

    use super::*;

    /// Each says of its tasks what is said here.
    #[test]
    fn programs_have_their_tasks() {
        for (name, program, says) in TASKS {
            let words = name.split('-').map(|word| word[..1].to_uppercase() + &word[1..]);
            let variant = words.collect::<String>();
            if let Tool(tool) = program {
                let file = root().join("tools").join(tool).join("src/main.rs");
                let source =
                    fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
                let line = format!("    /// {says}.\n    {variant}");
                assert!(
                    source.contains(if says.is_empty() { &variant } else { &line }),
                    "{} has no\n{line}",
                    file.display()
                );
            }
        }
        assert!(TASKS.is_sorted_by_key(|(name, ..)| name));
    }

    #[test]
    fn the_nearest_task_is_named() {
        for (task, nearest) in [
            ("dmeo", Some("demo")),
            ("demos", Some("demo")),
            ("docter", Some("doctor")),
            ("build-kernel", Some("build-kernels")),
            ("build_kernels", Some("build-kernels")),
            ("tset", Some("test")),
            ("build", Some("build-kernels")),
            ("machine-cod", None),
            ("card1", Some("card")),
            ("", None),
            ("xyz", None),
        ] {
            let text = no_task(task);
            assert!(text.contains(&format!("`{task}`")) && text.contains("cargo xtask --help"), "{text}");
            let named = text.split_once("did you mean `").and_then(|(_, rest)| rest.split('`').next());
            assert_eq!(named, nearest, "{task}");
        }
        assert_eq!((distance("", "demo"), distance("demo", ""), distance("kitten", "sitting")), (4, 4, 3));
    }

    #[test]
    fn building_is_said_once_and_then_now_and_then() {
        let shown = |said: &str| {
            let mut to = Vec::new();
            // A second a line.
            let lines = Cell::new(0);
            relay(said.as_bytes(), &mut to, || {
                lines.set(lines.get() + 1);
                Duration::from_secs(lines.get())
            });
            String::from_utf8(to).unwrap()
        };
        assert_eq!(shown("    Finished `dev` profile [optimized] target(s) in 0.08s\n"), "");
        let waits = "    Blocking waiting for file lock on build directory\n";
        let wrong = "error[E0425]: cannot find value `x` in this scope\n --> src/lib.rs:1:2\n  |\n1 |     Compiling\n";
        let said = format!(
            "{waits}  Downloaded a v1.0.0\n   Compiling a v1.0.0\n   Compiling b v0.1.0 (/b)\n{wrong}"
        );
        assert_eq!(shown(&said), format!("{waits}Building; the first time takes minutes…\n{wrong}"));
        let long: String = (0..30).map(|i| format!("   Compiling a{i} v1.0.0\n")).collect();
        assert_eq!(
            shown(&long),
            "Building; the first time takes minutes…\nBuilding; 21 packages so far: Compiling a20 v1.0.0…\n"
        );
    }
}
