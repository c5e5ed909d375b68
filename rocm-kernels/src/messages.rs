//! What the library tells whoever waits for it.

use std::io::{Write as _, stderr};

/// A line on stderr. A closed one must not cause a failure.
pub(crate) fn say(text: &str) {
    let _ = writeln!(stderr(), "candle-rocm: {text}");
}
