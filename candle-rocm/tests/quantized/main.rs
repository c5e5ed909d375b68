//! GGML's quantized weights.

#[path = "../common/mod.rs"]
mod common;

mod conversions;
mod entry_points;
mod errors;
mod experts;
mod formats;
mod products;
mod several;
mod weights;
