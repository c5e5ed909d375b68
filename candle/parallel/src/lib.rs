//! candle on several cards: collectives of tensors with gradients, layers and models split among cards, and data parallel training.
//!
//! ```no_run
//! use candle_core::{Result, Tensor};
//! use candle_rocm as _;
//! use candle_rocm_parallel::{Reduce, run_ranks};
//!
//! // torchrun --nproc-per-node 2 --no-python target/release/program, or without a launcher: two threads, each with a card
//! fn main() -> Result<()> {
//!     let sums = run_ranks(2, |ranks| {
//!         let x = Tensor::full(ranks.rank() as f32, (2, 3), ranks.device())?;
//!         ranks.all_reduce(&x, Reduce::Sum)?.to_vec2::<f32>()
//!     })?;
//!     println!("{sums:?}");
//!     Ok(())
//! }
//! ```
//!
//! | | |
//! |---|---|
//! | [`Communicator`] | collectives of tensors; the crate `rocm-rccl` explains how ranks meet, and what happens if one fails |
//! | [`run_ranks`] | the ranks of a program: processes of a launcher, or threads |
//! | [`failure`] | extracts why a communicator failed from candle's error |
//! | [`ColumnParallel`], [`RowParallel`] | linear layers split among the ranks |
//! | [`Weights`], [`Gguf`] | sources of a rank's part of a model: safetensors files, GGUF files |
//! | [`llama`] | llama with tensor parallelism |
//! | [`DataParallel`] | training with a copy of the model on each rank |
//!
//! candle itself needs no changes for this: collectives are custom operations.

#[cfg(test)]
extern crate self as candle_rocm_parallel;

mod collective;
mod communicator;
mod data_parallel;
mod error;
mod gguf;
mod launch;
mod linear;
pub mod llama;
mod side_stream;
mod weights;

pub use communicator::Communicator;
pub use data_parallel::{DataParallel, Stages};
pub use error::failure;
pub use gguf::Gguf;
pub use launch::{run_ranks, run_threads};
pub use linear::{ColumnParallel, Linear, RowParallel};
pub use rocm_rccl::{Cause, Environment, Failure, RcclError, Reduce, Refusal, UniqueId, disable_peer_access};
pub use weights::{Split, Weights};
