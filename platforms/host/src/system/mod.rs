//! What the platform needs of the operating system: pages, the loading of modules, and word of what a kernel did wrong.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "linux")]
pub(crate) use linux::*;
#[cfg(windows)]
pub(crate) use windows::*;

/// The size of a page.
pub(crate) const PAGE: usize = 4096;

/// The value of uninitialised bytes: as f32 and f64 a tiny negative number, as an index far out of range.
pub(crate) const FRESH: u8 = 0xA5;
