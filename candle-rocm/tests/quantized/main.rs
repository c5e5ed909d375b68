//! GGML's quantized weights.

#[path = "../common/mod.rs"]
mod common;

mod conversions;
mod errors;
mod experts;
mod products;
mod several;
mod weights;
