//! What candle-nn has kernels of its own for, and its gradients.

#[path = "../common/mod.rs"]
mod common;
#[path = "../harness/mod.rs"]
mod harness;

mod add_norm;
mod backward;
mod experts;
mod forward;
mod rope_cat;
