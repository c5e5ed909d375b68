//! Code objects: compiled at run time, kept on disk, and what they say of themselves. Nothing here needs a device.

mod cache;
mod cached;
mod comgr;
mod compiler;
mod error;
mod hiprtc;
pub(crate) mod image;
mod metadata;
mod program;
mod target;

pub use cache::Cache;
pub use cached::{cached, compile_cached, is_cached};
pub use comgr::PRELUDE;
pub use compiler::{Compiler, compile, default_options};
pub use error::CompileError;
pub use metadata::{KernelMetadata, MetadataError, kernel_metadata, kernel_parameters};
pub use program::Program;
pub use target::Target;
