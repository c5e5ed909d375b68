//! `cargo xtask`: starts the program that has the task. This one has no dependencies, and `demo`, `doctor` and `overlay` are programs of
//! candle's workspace: none of them waits for all that the other tasks are made of.

mod demo;

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, ExitCode, ExitStatus, Stdio};

fn main() -> ExitCode {
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let status = match arguments.split_first() {
        Some((task, arguments)) if task == "demo" => demo::run(arguments),
        Some((task, [])) if task == "doctor" => demo::doctor(),
        // The second is a program of the first's package.
        Some((task, arguments)) if task == "overlay" || task == "upstream" => overlay(task, arguments),
        _ => other(&arguments),
    };
    match status {
        // Cargo's own, or the program's; none after a signal.
        Ok(status) => status.code().map_or(ExitCode::FAILURE, |code| ExitCode::from(code as u8)),
        Err(error) => {
            eprintln!("error: the task could not be started: {error}");
            ExitCode::FAILURE
        }
    }
}

fn overlay(program: &OsStr, arguments: &[OsString]) -> io::Result<ExitStatus> {
    let mut cargo = of_candle("run", "candle/overlay/Cargo.toml");
    cargo.arg("--quiet").arg("--bin").arg(program).arg("--").args(arguments).status()
}

/// With all of the workspace in view cargo builds the dependencies as `cargo xtask test` does, so only once.
fn other(arguments: &[OsString]) -> io::Result<ExitStatus> {
    let built = build(cargo("build", "Cargo.toml").args(["--workspace", "--bin", "xtask"]))?;
    if !built.success() {
        return Ok(built);
    }
    let program = format!("xtask{}", env::consts::EXE_SUFFIX);
    Command::new(env::current_exe()?.with_file_name(program)).args(arguments).status()
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

/// Runs `cargo build`, and says so once something is built. What is wrong is passed on.
fn build(cargo: &mut Command) -> io::Result<ExitStatus> {
    cargo.envs([("CARGO_TERM_COLOR", "never"), ("CARGO_TERM_QUIET", "false")]);
    let mut child = cargo.stderr(Stdio::piped()).spawn()?;
    if let Some(said) = child.stderr.take() {
        relay(BufReader::new(said), io::stderr());
    }
    child.wait()
}

/// Of what cargo says, all but how far it is, which is said in one line.
fn relay(said: impl BufRead, mut to: impl Write) {
    let mut announced = false;
    for line in said.split(b'\n').map_while(Result::ok) {
        let text = String::from_utf8_lossy(&line);
        let progress = Progress::of(&text);
        let shown = match progress {
            Some(Progress::Builds) if !announced => "Building; the first time takes minutes…",
            Some(Progress::Builds | Progress::Other) => continue,
            None => &text,
        };
        announced |= progress == Some(Progress::Builds);
        // A closed stderr must not cause a failure.
        let _ = writeln!(to, "{shown}");
    }
}

/// A line that says how far cargo is, its first word right-aligned.
#[derive(Clone, Copy, PartialEq)]
enum Progress {
    /// Something is fetched or compiled.
    Builds,
    Other,
}

impl Progress {
    fn of(line: &str) -> Option<Self> {
        let (word, _) = line.strip_prefix(' ')?.trim_start().split_once(' ')?;
        match word {
            "Compiling" | "Downloading" | "Updating" => Some(Self::Builds),
            "Downloaded" | "Locking" | "Adding" | "Finished" | "Fresh" | "Dirty" => Some(Self::Other),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn building_is_said_once_and_only_then() {
        let shown = |said: &str| {
            let mut to = Vec::new();
            relay(said.as_bytes(), &mut to);
            String::from_utf8(to).unwrap()
        };
        assert_eq!(shown("    Finished `dev` profile [optimized] target(s) in 0.08s\n"), "");
        let waits = "    Blocking waiting for file lock on build directory\n";
        let wrong = "error[E0425]: cannot find value `x` in this scope\n --> src/lib.rs:1:2\n  |\n1 |     Compiling\n";
        let said = format!(
            "{waits}  Downloaded a v1.0.0\n   Compiling a v1.0.0\n   Compiling b v0.1.0 (/b)\n{wrong}"
        );
        assert_eq!(shown(&said), format!("{waits}Building; the first time takes minutes…\n{wrong}"));
    }
}

fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here)
}
