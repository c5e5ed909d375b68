//! Shared by the tests: visible skips, and small shared libraries built with the C compiler.
#![allow(dead_code, reason = "each test program uses a part")]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Reports that a check cannot run here; panics if `CANDLE_ROCM_TEST_STRICT=1`.
pub(crate) fn skip(what: &str, why: &str) {
    // Not eprintln!, whose output the test harness captures.
    let _ = writeln!(std::io::stderr(), "SKIPPED: {what}: {why}");
    let strict = std::env::var("CANDLE_ROCM_TEST_STRICT").is_ok_and(|value| value == "1");
    assert!(!strict, "{what} cannot run: {why}");
}

/// Compiles C into a shared library. Returns `None` and reports a skip if there is no C compiler.
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
            skip("fake libraries", &format!("there is no C compiler ({error}); apt install gcc"));
            None
        }
    }
}
