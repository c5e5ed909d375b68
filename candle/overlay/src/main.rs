//! `cargo xtask overlay`.

use std::path::PathBuf;
use std::process::ExitCode;

use candle_rocm_overlay::command;
use lexopt::prelude::*;

const HELP: &str = "\
Writes candle's sources with a ROCm device, and records changes to them

Usage: cargo xtask overlay --out DIR | --record DIR | --crates DIR

Options:
  --out DIR     Write the patched candle-core and candle-nn into DIR, ready for [patch.crates-io]
  --record DIR  Update candle/*/seam.patch, added/ and src/lib.rs from the sources that --out wrote into DIR and you edited
  --crates DIR  Copy the stock crates that the patches apply to into DIR, for builds without network access
  -h, --help    Print help
";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

type Task = fn(&std::path::Path) -> Result<(), candle_rocm_overlay::Error>;

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = lexopt::Parser::from_env();
    let mut tasks = Vec::new();
    while let Some(argument) = arguments.next()? {
        let task: Task = match argument {
            Long("out") => command::out,
            Long("record") => command::record,
            Long("crates") => command::crates,
            Short('h') | Long("help") => {
                print!("{HELP}");
                return Ok(());
            }
            _ => return Err(argument.unexpected().into()),
        };
        tasks.push((task, PathBuf::from(arguments.value()?)));
    }
    let [(task, folder)] = tasks.as_slice() else {
        return Err(format!("exactly one option is required\n\n{HELP}").into());
    };
    Ok(task(folder)?)
}
