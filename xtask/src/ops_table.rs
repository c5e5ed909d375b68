//! `cargo xtask ops-table`: the table of operations, dtypes and engines in README.md. A test of candle-rocm makes it.

use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::cargo;

/// Checks that README.md's table of operations says what the library does.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only checks; the default.
    #[arg(long, conflicts_with = "write")]
    check: bool,
    /// Writes the table.
    #[arg(long)]
    write: bool,
}

pub(crate) fn run(options: &Options) -> Result<ExitCode> {
    let mut test = cargo::command();
    // With all of the workspace in view cargo builds the dependencies as `cargo xtask test` does, so only once.
    test.args(["test", "--quiet", "--workspace", "--test", "ops_table"]).env("CANDLE_ROCM_PLATFORM", "host");
    if options.write {
        test.env("CANDLE_ROCM_WRITE_OPS_TABLE", "1");
    }
    let status = test.status().context("cargo could not be started")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
