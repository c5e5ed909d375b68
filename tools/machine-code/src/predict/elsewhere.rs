//! For other systems, which have no interpreter.

use anyhow::{Result, bail};
use clap::Args;

#[derive(Args)]
pub(crate) struct Options {}

pub(crate) fn run(_: &Options) -> Result<()> {
    bail!("machine code is executed on Linux on x86-64 only")
}
