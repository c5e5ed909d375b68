//! The platform as a shared library that exports the C names, with the dependencies as the workspace's tests have them.

pub use candle_rocm_host::symbol;
