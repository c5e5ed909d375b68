//! Memory: of a device in a pool that keeps it for reuse, and of the host where kernels write to it.

pub(crate) mod batches;
pub(crate) mod buffer;
mod element;
pub(crate) mod fill;
mod helpers;
mod pinned;
pub(crate) mod pool;
pub(crate) mod readers;
mod size_classes;
pub(crate) mod staging;
pub(crate) mod system;

pub use buffer::{Buffer, DevicePtr};
pub use element::Element;
pub use fill::Fill;
pub use pinned::PinnedWords;
pub use pool::{Pool, PoolStats};
pub use staging::UploadStats;
