//! `cargo xtask parity`: our kernels and candle's.

mod parity;

use clap::Parser;

#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
enum Task {
    /// Compares the names and parameters of our kernels with candle-kernels.
    Parity(parity::Args),
}

fn main() -> anyhow::Result<()> {
    match Task::parse() {
        Task::Parity(args) => parity::run(&args),
    }
}
