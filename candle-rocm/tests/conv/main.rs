//! Convolutions, pools, and images of another size.

#[path = "../common/mod.rs"]
mod common;
#[path = "../harness/mod.rs"]
mod harness;

mod convolution;
mod pool;
mod upsample;
