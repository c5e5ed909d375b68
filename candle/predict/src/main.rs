//! What a model launches for a prompt and for a token, and how long that takes on a card by the gfx platform's model of time: what
//! `cargo xtask predict MODEL.gguf` starts for each card.
//!
//! The model runs on the gfx platform, by the same path as on a card: candle-transformers' code, fusion, and the choices that depend on
//! the card's compute units. Weights are invented, and few layers stand for all: those of a kind launch the same ([`shape`]). Of each
//! distinct launch some workgroups are executed; matrix products are candle-rocm's own, as it is not known here what rocBLAS launches.

#![cfg_attr(
    not(all(target_os = "linux", target_arch = "x86_64")),
    allow(dead_code, reason = "machine code is executed there only")
)]

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod record;
mod shape;
#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod sum;

use std::path::PathBuf;

use clap::Parser;

/// Predicts the times of a prompt and of a token after it, and prints them as JSON.
#[derive(Parser)]
struct Options {
    /// The GGUF file.
    model: PathBuf,
    /// The card, such as `RX 7900 XTX`.
    #[arg(long)]
    card: String,
    /// Tokens of the prompt, after which a token is decoded.
    #[arg(long, default_value_t = 512)]
    context: usize,
    /// Sequences that are decoded at once, each after its own prompt.
    #[arg(long, default_value_t = 1)]
    batch: usize,
    /// Execute about this many instructions of each distinct launch.
    #[arg(long, default_value_t = 4_000_000)]
    budget: u64,
}

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
fn main() -> anyhow::Result<()> {
    println!("{}", record::run(&Options::parse())?);
    Ok(())
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
fn main() -> anyhow::Result<()> {
    Options::parse();
    anyhow::bail!("machine code is executed on Linux on x86-64 only")
}
