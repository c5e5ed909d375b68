//! The machine: waves, workgroups, their memory, and launches of them.

pub(crate) mod block;
pub(crate) mod clock;
pub(crate) mod code;
pub(crate) mod descriptor;
pub(crate) mod launch;
pub(crate) mod lds;
mod lds_races;
pub(crate) mod masks;
pub(crate) mod memory;
mod order;
mod pieces;
pub(crate) mod races;
pub(crate) mod scratch;
pub(crate) mod spread;
pub(crate) mod statistics;
pub(crate) mod wave;
