//! Attention and its gradients.

#[path = "../common/mod.rs"]
mod common;
#[path = "../harness/mod.rs"]
mod harness;

mod backward;
mod f8;
mod forward;
mod step;
