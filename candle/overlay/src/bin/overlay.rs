//! `cargo xtask overlay`.

use std::path::Path;
use std::process::ExitCode;

use candle_rocm_overlay::command::{self, Task};

const HELP: &str = "\
Writes candle's sources with a ROCm device, and records changes to them

Usage: cargo xtask overlay --out DIR | --record DIR | --crates DIR | --packages DIR | --against VERSION

Options:
  --out DIR          Write the patched candle-core and candle-nn into DIR, ready for [patch.crates-io]
  --record DIR       Update candle/overlay/seam/ from the sources that --out wrote into DIR and you edited
  --crates DIR       Copy the stock crates that the patches apply to into DIR, for builds without network access
  --packages DIR     Write the manifests of the repository's packages, whose folder candle/ is DIR, and their src/lib.rs
  --against VERSION  Say which hunks of the patches apply to another published candle, and which need a hand
  --candle VERSION   The version of candle that --out, --record and --crates are for [default: the newest]
  -h, --help         Print help
";

fn main() -> ExitCode {
    let tasks: [(&str, Task); 5] = [
        ("out", |folder, candle| command::out(Path::new(folder), candle)),
        ("record", |folder, candle| command::record(Path::new(folder), candle)),
        ("crates", |folder, candle| command::crates(Path::new(folder), candle)),
        ("packages", |folder, _| command::packages(Path::new(folder))),
        ("against", |version, _| command::against(version)),
    ];
    command::run(HELP, &tasks)
}
