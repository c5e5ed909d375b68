//! For other systems: this platform is for Linux only.

use std::ffi::c_void;

/// There are no functions.
pub fn symbol(_: &str) -> Option<*const c_void> {
    None
}

/// There are no functions.
pub fn symbols() -> impl Iterator<Item = &'static str> {
    std::iter::empty()
}

/// Why there is no device.
pub fn unavailable() -> Option<String> {
    Some(format!("it runs on Linux only, and this program was built for {}", std::env::consts::OS))
}
