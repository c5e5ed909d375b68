//! Code objects of [candle-rocm](https://crates.io/crates/candle-rocm)'s kernels for AMD's CDNA and CDNA 2 cards.
//!
//! `candle-rocm-kernels` depends on this crate through its feature `cdna`, and reads the bundle.

#![no_std]

/// The bundle. It is empty in a checkout in which `cargo xtask build-kernels` has not been run.
pub static BUNDLE: &[u8] = include!(concat!(env!("OUT_DIR"), "/bundle.rs"));
