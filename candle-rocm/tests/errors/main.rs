//! What can go wrong, and how it is said.

#[path = "../common/mod.rs"]
mod common;

mod too_many;
mod unsupported;
mod variables;
mod wrong_use;
