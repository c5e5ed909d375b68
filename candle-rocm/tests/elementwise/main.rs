//! Functions of one, two and three tensors, element by element.

#[path = "../common/mod.rs"]
mod common;
#[path = "../harness/mod.rs"]
mod harness;

mod binary;
mod cast;
mod direct;
mod fill;
mod launches;
mod ternary;
mod unary;
