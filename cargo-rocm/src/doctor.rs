//! `cargo rocm doctor`: a program of a few lines over candle-rocm, which has the report. It is built when it is asked for, so that
//! installing cargo-rocm compiles neither candle nor candle-rocm.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use crate::arguments::Arguments;
use crate::error::Error;
use crate::{cargo, overlay, run, say};

/// The same as candle-rocm's example `doctor`.
const PROGRAM: &str = "\
use std::process::ExitCode;

fn main() -> ExitCode {
    match candle_rocm::doctor(&mut std::io::stdout()) {
        Ok(true) => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}
";

/// Builds the program and runs it. `words` are options of `cargo run`.
pub(crate) fn run(platform: Option<&str>, words: &[OsString]) -> Result<ExitCode, Error> {
    let arguments = Arguments::read("run".to_owned(), words.to_vec())?;
    let folder = overlay::cache()?.join("doctor");
    let features = platform.filter(|name| ["gfx", "nvidia"].contains(name));
    let features: Vec<&str> = ["host"].into_iter().chain(features).collect();
    write(&folder.join("Cargo.toml"), &manifest(&features))?;
    write(&folder.join("src/main.rs"), PROGRAM)?;
    say::status(&arguments, "Building", "the report of candle-rocm; the first time takes minutes");
    let mut cargo = cargo::command();
    cargo.args(["run", "--quiet", "--manifest-path"]).arg(folder.join("Cargo.toml"));
    let target = arguments.target_dir.clone().unwrap_or_else(|| folder.join("target"));
    cargo.arg("--target-dir").arg(target).args(overlay::backend());
    cargo.args(&arguments.options).args(&arguments.rest);
    if let Some(platform) = platform {
        cargo.env("CANDLE_ROCM_PLATFORM", platform);
    }
    run::replace(cargo)
}

fn manifest(features: &[&str]) -> String {
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "[package]\nname = \"candle-rocm-doctor\"\nversion = \"{version}\"\nedition = \"2024\"\npublish = false\n\n[workspace]\n\n\
         [dependencies]\ncandle-rocm = {{ version = \"={version}\", features = {features:?} }}\n\n\
         [profile.dev]\ndebug = false\n"
    )
}

/// Leaves a file that is as it should be alone, so that nothing is compiled again.
fn write(file: &Path, text: &str) -> Result<(), Error> {
    if fs::read_to_string(file).is_ok_and(|found| found == text) {
        return Ok(());
    }
    fs::create_dir_all(file.parent().unwrap_or(file))
        .and_then(|()| fs::write(file, text))
        .map_err(|error| Error::io("write", file, error))
}
