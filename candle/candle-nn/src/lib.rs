//! candle-nn 0.11.1 whose operations reach kernels of a ROCm device.
//!
//! All is as [docs.rs](https://docs.rs/candle-nn/0.11.1) has it. The sources are made from the crate on crates.io when this
//! is built.

include!(concat!(env!("OUT_DIR"), "/patched/src/lib.rs"));
