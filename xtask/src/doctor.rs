//! `cargo xtask doctor`: reports what candle-rocm finds on this machine, and whether it works.

use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::cargo;

pub(crate) fn run() -> Result<ExitCode> {
    // With --workspace, cargo reuses the dependencies as built for `cargo xtask test`.
    let [root, _] = cargo::workspaces();
    let programs = cargo::programs(&root, &["build", "--workspace", "--example", "doctor"])?;
    let doctor = programs.get("doctor").context("cargo did not say where the example is")?;
    let status =
        Command::new(doctor).status().with_context(|| format!("{} cannot be started", doctor.display()))?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
