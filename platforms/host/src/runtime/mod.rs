//! The HIP runtime: devices, memory, streams and events.

pub(crate) mod copy;
pub(crate) mod device;
pub(crate) mod event;
pub(crate) mod fault;
pub(crate) mod fill;
pub(crate) mod memory;
pub(crate) mod peer;
pub(crate) mod properties;
pub(crate) mod registry;
pub(crate) mod sanitizer;
pub(crate) mod stream;
pub(crate) mod stream_api;
