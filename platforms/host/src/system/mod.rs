//! What the platform needs of the operating system: pages, the loading of modules, and word of what a kernel did wrong.

#[cfg(target_os = "linux")]
mod linux;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "linux")]
pub(crate) use linux::*;
#[cfg(windows)]
pub(crate) use windows::*;

/// What a kernel did wrong.
#[derive(Clone, Copy)]
#[repr(u32)]
pub(crate) enum Cause {
    Access,
    Arithmetic,
    Instruction,
}

/// Where a thread goes on whose kernel failed: in `function`, called with the runner, the [`Cause`] and the address.
pub(crate) struct Landing {
    pub(crate) function: usize,
    pub(crate) runner: usize,
    pub(crate) stack: usize,
}

/// Gives it; `None` if the calling thread runs no kernel.
pub(crate) type FindLanding = fn() -> Option<Landing>;

/// The size of a page.
pub(crate) const PAGE: usize = 4096;

/// The value of uninitialised bytes: as f32 and f64 a tiny negative number, as an index far out of range.
pub(crate) const FRESH: u8 = 0xA5;
