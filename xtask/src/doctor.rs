//! `cargo xtask doctor`: what candle-rocm finds on this machine, and whether it works.

use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

pub(crate) fn run() -> Result<ExitCode> {
    let status = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["run", "--quiet", "-p", "candle-rocm", "--features", "host", "--example", "doctor"])
        .status()
        .context("cargo could not be started")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
