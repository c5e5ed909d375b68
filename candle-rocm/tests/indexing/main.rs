//! Reading and writing by index.

#[path = "../common/mod.rs"]
mod common;
#[path = "../harness/mod.rs"]
mod harness;

mod operations;
mod sums;
