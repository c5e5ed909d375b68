//! Says which platform, libraries, devices and kernels candle-rocm finds here, and runs a kernel on each device.
//!
//! `cargo xtask doctor`, `cargo rocm doctor`, or `cargo run -p candle-rocm --features host --example doctor`. Exit status 1 when a device
//! that was found gives a wrong result or an error, or when there is none.

use std::process::ExitCode;

fn main() -> ExitCode {
    match candle_rocm::doctor(&mut std::io::stdout()) {
        Ok(true) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}
