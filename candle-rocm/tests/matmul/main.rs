//! Matrix products, and the vocabulary of matrix cores.

#[path = "../common/mod.rs"]
mod common;
#[path = "../harness/mod.rs"]
mod harness;

mod matrix_cores;
mod products;
mod several;
