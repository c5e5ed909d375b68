//! `cargo xtask ops-table` and `cargo xtask cards`: tables of the documentation that tests make out of the code.

use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::cargo;

/// A test that compares a table with what is written, or writes it where this variable is set.
pub(crate) struct Table {
    /// The test program.
    program: &'static str,
    /// The start of its tests' names.
    tests: &'static str,
    variable: &'static str,
}

/// README.md's table of operations, dtypes and engines; candle-rocm's test runs each of them.
pub(crate) const OPERATIONS: Table =
    Table { program: "documentation", tests: "operations::", variable: "CANDLE_ROCM_WRITE_OPS_TABLE" };

/// docs/cards.md's table of cards, from rocm-kernels' table of processors.
pub(crate) const CARDS: Table = Table { program: "cards", tests: "", variable: "CANDLE_ROCM_WRITE_CARDS" };

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only checks; the default.
    #[arg(long, conflicts_with = "write")]
    check: bool,
    /// Writes the table.
    #[arg(long)]
    write: bool,
}

pub(crate) fn run(table: &Table, options: &Options) -> Result<ExitCode> {
    let mut test = cargo::command();
    // With all of the workspace in view cargo builds the dependencies as `cargo xtask test` does, so only once.
    test.args(["test", "--quiet", "--workspace", "--test", table.program, "--", table.tests]);
    test.env("CANDLE_ROCM_PLATFORM", "host");
    if options.write {
        test.env(table.variable, "1");
    }
    let status = test.status().context("cargo could not be started")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
