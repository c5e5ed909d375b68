//! CPU time, for `cargo xtask test --timings`: cargo and what it starts are started through this program, which notes what each used.
//!
//! The notes are lines of a part, a name and seconds. This program is a rustc wrapper, stands for rustdoc, and runs test programs.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, ExitStatus};

/// Names the file of the notes.
pub(crate) const VARIABLE: &str = "CANDLE_ROCM_TIMINGS";

/// An empty file for them.
pub(crate) fn begin() -> io::Result<()> {
    let folder = crate::root().join("target/xtask");
    fs::create_dir_all(&folder)?;
    let log = folder.join("timings.log");
    fs::write(&log, "")?;
    // SAFETY: this program has no other thread.
    unsafe { env::set_var(VARIABLE, log) };
    Ok(())
}

/// The same command, whose compilers are started through this program too.
pub(crate) fn through(this: &Path, cargo: &Command) -> Command {
    let mut through = Command::new(this);
    through.arg(cargo.get_program()).args(cargo.get_args());
    through.env_remove("RUSTC_WRAPPER").arg("--config").arg(format!("build.rustc-wrapper={this:?}"));
    through
}

/// Whether these are a program and its arguments, or rustdoc's, rather than a task.
pub(crate) fn is_program(arguments: &[OsString]) -> bool {
    let first = arguments.first().map(|first| first.to_string_lossy()).unwrap_or_default();
    env::var_os(VARIABLE).is_some() && (first.contains('/') || first.starts_with('-') || first == "rustc")
}

/// Runs the program, and notes its CPU time with that of all that it started.
pub(crate) fn run(arguments: &[OsString]) -> io::Result<ExitStatus> {
    let (program, arguments) = match arguments.split_first() {
        Some((first, rest)) if !first.to_string_lossy().starts_with('-') => (first.as_os_str(), rest),
        _ => (OsStr::new("rustdoc"), arguments),
    };
    let what = describe(program, arguments);
    let mut command = Command::new(program);
    command.args(arguments);
    if matches!(what, Some((TEST, _))) {
        // What it builds is its own.
        command.env_remove(VARIABLE);
    }
    let status = command.status()?;
    if let (Some((part, name)), Some(log)) = (what, env::var_os(VARIABLE)) {
        // In one call, so that lines of several programs do not mix.
        let line = format!("{part}\t{name}\t{:.2}\n", of_children()?);
        OpenOptions::new().append(true).open(log)?.write_all(line.as_bytes())?;
    }
    Ok(status)
}

const TEST: &str = "test";

/// The part, and a name in it.
fn describe(program: &OsStr, arguments: &[OsString]) -> Option<(&'static str, String)> {
    let arguments: Vec<_> = arguments.iter().map(|argument| argument.to_string_lossy()).collect();
    let behind = |option: &str| arguments.iter().skip_while(|argument| *argument != option).nth(1);
    let package = env::var("CARGO_PKG_NAME").unwrap_or_default();
    let name = |what: &str| format!("{package} {what}");
    match &*Path::new(program).file_stem()?.to_string_lossy() {
        "cargo" => Some(("cargo", "all".to_owned())),
        "rustc" => {
            // Questions have none, or this one.
            let target = behind("--crate-name").filter(|name| *name != "___")?;
            let ours =
                env::var_os("CARGO_MANIFEST_DIR").is_some_and(|at| Path::new(&at).starts_with(crate::root()));
            let is_test = arguments.iter().any(|argument| argument == "--test");
            let is_program = behind("--crate-type").is_some_and(|kind| kind == "bin");
            let part = match (ours, is_test, is_program && !target.starts_with("build_script_")) {
                (false, ..) => "dependency",
                (true, true, _) => "test program",
                (true, false, true) => "program",
                (true, false, false) => "crate",
            };
            Some((part, name(target)))
        }
        "rustdoc" => Some(("documentation test", name(behind("--crate-name")?))),
        "tools-test" => Some(("kernels", arguments.get(1..)?.join(" "))),
        program => {
            // A checker's, or an unhashed example's.
            let path = arguments.iter().find(|argument| argument.contains("/deps/"));
            let stem = path.and_then(|path| path.rsplit('/').next()).unwrap_or(program);
            Some((TEST, name(stem.rsplit_once('-').map_or(stem, |(stem, _)| stem))))
        }
    }
}

/// Seconds of user and system time of all processes that this one waited for, and they. In Linux's words, of which `cutime` and
/// `cstime` are the 16th and 17th.
fn of_children() -> io::Result<f64> {
    const TICKS: f64 = 100.0;
    let text = fs::read_to_string("/proc/self/stat")?;
    // The second is the program's name in brackets, with what it likes in between.
    let words = text.rsplit_once(") ").map_or("", |(_, words)| words).split(' ').skip(13).take(2);
    Ok(words.filter_map(|word| word.parse::<f64>().ok()).sum::<f64>() / TICKS)
}
