//! Calls of `cargo rocm` in projects that are made for it. Cargo resolves their dependencies, so the registry must be in reach.

mod git;
#[cfg(unix)]
mod interrupted;
mod project;
mod projects;
mod refusals;
