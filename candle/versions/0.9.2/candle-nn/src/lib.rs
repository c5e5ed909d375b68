//! candle-nn 0.9.2 with fused operations on ROCm devices.
//!
//! The API is that of [candle-nn on docs.rs](https://docs.rs/candle-nn/0.9.2). The build generates the sources from the crate on
//! crates.io.

// Links the backend, so that programs need not mention it.
#[cfg(not(target_arch = "wasm32"))]
use candle_rocm as _;

include!(concat!(env!("OUT_DIR"), "/patched/src/lib.rs"));
