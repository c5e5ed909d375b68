//! Warnings on stderr, for failures that cannot be returned as errors.

use std::collections::BTreeSet;
use std::io::{self, Write as _};
use std::sync::{Mutex, PoisonError};

/// Writes a warning, once per text and process.
pub fn once(message: &str) {
    static SAID: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if SAID.lock().unwrap_or_else(PoisonError::into_inner).insert(message.to_owned()) {
        // A closed stderr must not cause a failure.
        let _ = writeln!(io::stderr(), "candle-rocm: warning: {message}");
    }
}
