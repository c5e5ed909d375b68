//! The safe layer over HIP, one type per file. It knows nothing of candle.
//!
//! A [`Platform`] names an implementation of HIP's C ABI, and its [`Runtime`] is that library, opened. A [`Device`] has
//! [`Stream`]s, in which work runs in order, and [`Event`]s mark places in them. A [`Pool`] gives [`Buffer`]s of device
//! memory to the work of one stream. A [`Module`] is loaded code, and its [`Function`]s are kernels to launch.
//!
//! Every failure says which call failed, with which code, on which device; what a kernel did wrong is reported with the
//! names of the kernels that may have done it. Handles still alive when the process exits are leaked: the runtime may be
//! gone before them.
//!
//! Waiting can be [limited](Device::set_timeout): a device that does not answer in time is lost, which every later call says
//! at once. What a process opened, its forked children cannot use; calls there are errors, and drops do nothing.

mod advice;
mod buffer;
mod check;
mod device;
mod event;
mod fork;
mod launch;
mod mailbox;
mod module;
mod parameters;
mod platform;
mod pool;
mod runtime;
mod shelves;
mod staging;
mod stream;
mod watchdog;

pub use buffer::{Buffer, DevicePtr};
pub use device::Device;
pub use event::Event;
pub use launch::LaunchConfig;
pub(crate) use mailbox::Mailbox;
pub use module::{Function, Module};
pub use platform::{Platform, set_default_platform};
pub use pool::{Pool, PoolStats};
pub use runtime::Runtime;
#[cfg(feature = "miopen")]
pub(crate) use runtime::gone;
pub(crate) use staging::Staging;
pub use stream::Stream;
