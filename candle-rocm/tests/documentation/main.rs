//! Tables and pages that are made from, or compared with, the code.

#[path = "../common/mod.rs"]
mod common;
#[path = "../harness/mod.rs"]
mod harness;

mod environment;
mod operations;
mod troubleshooting;
