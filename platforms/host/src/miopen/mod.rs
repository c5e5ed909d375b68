//! MIOpen: convolutions and pooling of images.
//!
//! What is there behaves as MIOpen does: descriptors and arguments are checked when a call is made, the arithmetic is
//! queued on the handle's stream, an algorithm must have been found for a problem before it is run, and its workspace must
//! be there. There is one algorithm for every convolution: im2col and a matrix product.

pub(crate) mod convolution;
pub(crate) mod descriptor;
pub(crate) mod handle;
mod images;
pub(crate) mod pooling;
