//! `cargo xtask ops-table`, `cargo xtask cards` and `cargo xtask variables`: tables in the documentation that tests generate from the code.
//! `cargo xtask fused-kernels`: a source file that a test records.

use std::process::ExitCode;

use anyhow::{Context, Result};
use tools_common::{cargo, root};

/// A test that checks a table, or writes it if `variable` is set.
pub(crate) struct Table {
    /// The workspace's folder.
    workspace: &'static str,
    /// The test program.
    program: &'static str,
    /// The prefix of the tests' names.
    tests: &'static str,
    variable: &'static str,
}

/// docs/book/src/operations.md's table of operations, dtypes and engines, for which a test of candle-rocm runs each of them.
pub(crate) const OPERATIONS: Table = Table {
    workspace: ".",
    program: "documentation",
    tests: "operations::",
    variable: "CANDLE_ROCM_WRITE_OPS_TABLE",
};

/// docs/book/src/cards.md's table of cards, from rocm-kernels' table of processors.
pub(crate) const CARDS: Table =
    Table { workspace: ".", program: "cards", tests: "", variable: "CANDLE_ROCM_WRITE_CARDS" };

/// docs/book/src/environment.md's tables of environment variables, from rocm-sys' table.
pub(crate) const VARIABLES: Table = Table {
    workspace: ".",
    program: "documentation",
    tests: "environment::",
    variable: "CANDLE_ROCM_WRITE_VARIABLES",
};

/// rocm-kernels' kernels of joined operations, recorded from steps of models.
pub(crate) const FUSED_KERNELS: Table = Table {
    workspace: "candle",
    program: "models",
    tests: "fused_kernels::are_recorded",
    variable: "CANDLE_ROCM_WRITE_FUSED",
};

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only check (default).
    #[arg(long, conflicts_with = "write")]
    check: bool,
    /// Write the table.
    #[arg(long)]
    write: bool,
}

pub(crate) fn run(table: &Table, options: &Options) -> Result<ExitCode> {
    let mut test = cargo::command();
    // With --workspace, cargo reuses the dependencies as built for `cargo xtask test`.
    test.args(["test", "--quiet", "--test", table.program, "--", table.tests]);
    test.env("CANDLE_ROCM_PLATFORM", "host").current_dir(root().join(table.workspace));
    if options.write {
        test.env(table.variable, "1");
    }
    let status = test.status().context("cargo could not be started")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
