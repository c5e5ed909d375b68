//! The safe layer over HIP, one type per file. It knows nothing of candle.
//!
//! A [`Platform`] names an implementation of HIP's C ABI, and its [`Runtime`] is that library, opened. A [`Device`] has
//! [`Stream`]s, in which work runs in order, and [`Event`]s mark places in them. A [`Pool`] gives [`Buffer`]s of device
//! memory to the work of one stream. A [`Module`] is loaded code, and its [`Function`]s are kernels to launch.
//!
//! Every failure says which call failed, with which code, on which device; what a kernel did wrong is reported with the
//! names of the kernels that may have done it. Handles still alive when the process exits are leaked: the runtime may be
//! gone before them.

mod buffer;
mod check;
mod device;
mod event;
mod launch;
mod mailbox;
mod module;
mod platform;
mod pool;
mod runtime;
mod shelves;
mod staging;
mod stream;

pub use buffer::{Buffer, DevicePtr};
pub use device::Device;
pub use event::Event;
pub use launch::LaunchConfig;
pub(crate) use mailbox::Mailbox;
pub use module::{Function, Module};
pub use platform::{Platform, set_default_platform};
pub use pool::{Pool, PoolStats};
pub use runtime::Runtime;
#[cfg(any(feature = "miopen", feature = "rocblas"))]
pub(crate) use runtime::exiting;
pub(crate) use staging::Staging;
pub use stream::Stream;
