//! `cargo xtask overlay`.

use std::path::Path;
use std::process::ExitCode;

use candle_rocm_overlay::command::{self, Task};

const HELP: &str = "\
Writes candle's sources with a ROCm device, and records changes to them

Usage: cargo xtask overlay --out DIR | --record DIR | --crates DIR | --against VERSION

Options:
  --out DIR          Write the patched candle-core and candle-nn into DIR, ready for [patch.crates-io]
  --record DIR       Update candle/*/seam.patch, added/ and src/lib.rs from the sources that --out wrote into DIR and you edited
  --crates DIR       Copy the stock crates that the patches apply to into DIR, for builds without network access
  --against VERSION  Say which hunks of the patches apply to another published candle, and which need a hand
  -h, --help         Print help
";

fn main() -> ExitCode {
    let tasks: [(&str, Task); 4] = [
        ("out", |folder| command::out(Path::new(folder))),
        ("record", |folder| command::record(Path::new(folder))),
        ("crates", |folder| command::crates(Path::new(folder))),
        ("against", command::against),
    ];
    command::run(HELP, &tasks)
}
