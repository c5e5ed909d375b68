//! What a storage promises, whatever the operation.

#[path = "../common/mod.rs"]
mod common;
#[path = "../harness/mod.rs"]
mod harness;

mod entry_points;
mod moves;
mod semantics;
