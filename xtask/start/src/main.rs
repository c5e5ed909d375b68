//! `cargo xtask`: starts the program that has the task. This one has no dependencies, and `demo` and `overlay` are programs of
//! candle's workspace: none of them waits for all that the other tasks are made of.

mod demo;

use std::env;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::process::{Command, ExitCode, ExitStatus};

fn main() -> ExitCode {
    let arguments: Vec<OsString> = env::args_os().skip(1).collect();
    let status = match arguments.split_first() {
        Some((task, arguments)) if task == "demo" => demo::run(arguments),
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
    of_candle("run", "candle/overlay/Cargo.toml").arg("--bin").arg(program).arg("--").args(arguments).status()
}

/// With all of the workspace in view cargo builds the dependencies as `cargo xtask test` does, so only once.
fn other(arguments: &[OsString]) -> io::Result<ExitStatus> {
    let built = cargo("build", "Cargo.toml").args(["--workspace", "--bin", "xtask"]).status()?;
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
    cargo.args([what, "--quiet", "--manifest-path"]).arg(root().join(manifest));
    cargo
}

fn root() -> &'static Path {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here)
}
