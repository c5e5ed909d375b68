//! Copies between layouts, and concatenation.

#[path = "../common/mod.rs"]
mod common;
#[path = "../harness/mod.rs"]
mod harness;

mod cat;
mod copy;
