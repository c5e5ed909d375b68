//! `cargo xtask upstream`.

use std::path::Path;
use std::process::ExitCode;

use candle_rocm_overlay::command::{self, Task};

const HELP: &str = "\
Writes the seam as a series of commits for candle itself, with a text that says what each costs

Usage: cargo xtask upstream --out DIR | --record DIR

Options:
  --out DIR     Write a git repository with candle's published sources and the series, its patches, and PROPOSAL.md
  --record DIR  Update candle/overlay/upstream/seam.patch from that repository, after editing the commit `step-2`
  -h, --help    Print help
";

fn main() -> ExitCode {
    let tasks: [(&str, Task); 2] = [
        ("out", |folder, _| command::upstream(Path::new(folder))),
        ("record", |folder, _| command::record_upstream(Path::new(folder))),
    ];
    command::run(HELP, &tasks)
}
