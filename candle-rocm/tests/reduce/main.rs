//! Reductions, running sums and sorting.

#[path = "../common/mod.rs"]
mod common;
#[path = "../harness/mod.rs"]
mod harness;

mod reductions;
mod scan;
mod sort;
mod top_k;
