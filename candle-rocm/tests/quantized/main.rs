//! GGML's quantized weights.

#[path = "../common/mod.rs"]
mod common;

mod conversions;
mod entry_points;
mod errors;
mod experts;
mod formats;
mod grids;
mod matrix_bytes;
mod products;
mod several;
mod tiles;
mod weights;
