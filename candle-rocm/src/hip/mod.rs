//! The safe layer over HIP: one type per file.

mod buffer;
mod launch;
mod platform;

pub use buffer::{Buffer, DevicePtr};
pub use launch::LaunchConfig;
pub use platform::{Platform, set_default_platform};
