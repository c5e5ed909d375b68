//! candle-nn VERSION with fused operations on ROCm devices.
//!
//! The API is that of [candle-nn on docs.rs](https://docs.rs/candle-nn/VERSION). The build generates the sources from the crate on
//! crates.io.

// Links the backend, so that programs need not mention it.
#[cfg(not(target_arch = "wasm32"))]
use candle_rocm as _;

