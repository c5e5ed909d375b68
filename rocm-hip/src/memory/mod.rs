//! Memory: of a device in a pool that keeps it for reuse, and of the host where kernels write to it.

pub(crate) mod batches;
pub(crate) mod buffer;
mod element;
mod helpers;
mod pinned;
pub(crate) mod pool;
pub(crate) mod readers;
mod size_classes;
pub(crate) mod staging;
pub(crate) mod system;

pub use buffer::{Buffer, DevicePtr};
pub use element::Element;
pub use pinned::PinnedWords;
pub use pool::{Pool, PoolStats};
pub use staging::{Fill, UploadStats};
