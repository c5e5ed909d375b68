//! What the tests share: skipping aloud, and small shared libraries made by the C compiler.
#![allow(dead_code, reason = "each test file uses a part")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Says that a check cannot run here; fails where the environment asks for every check.
pub(crate) fn skip(what: &str, why: &str) {
    // Not eprintln!, which the test runner captures.
    let _ = writeln!(std::io::stderr(), "SKIPPED: {what}: {why}");
    let strict = std::env::var("CANDLE_ROCM_TEST_STRICT").is_ok_and(|value| value == "1");
    assert!(!strict, "{what} cannot run: {why}");
}

/// Compiles C into a shared library; `None`, after saying so, where there is no C compiler.
pub(crate) fn shared_library(path: &Path, source: &str, arguments: &[&str]) -> Option<PathBuf> {
    let code = path.with_extension("c");
    std::fs::write(&code, source).unwrap();
    let output =
        Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(path).arg(&code).args(arguments).output();
    match output {
        Ok(output) => {
            assert!(output.status.success(), "cc: {}", String::from_utf8_lossy(&output.stderr));
            Some(path.to_owned())
        }
        Err(error) => {
            skip(
                "libraries lacking symbols",
                &format!("no C compiler to make them ({error}); apt install gcc"),
            );
            None
        }
    }
}
