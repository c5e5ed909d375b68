//! Loaded code, and launches of its kernels.

mod builder;
mod compile;
mod config;
pub(crate) mod info;
mod module;
mod parameters;
mod resident;

pub use builder::Launch;
pub use config::LaunchConfig;
pub use info::InfoPtr;
pub use module::{Function, Module};
pub use resident::ResidentModule;
