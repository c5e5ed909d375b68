//! MIOpen over cuDNN: handles are cuDNN's own, descriptors are ours with cuDNN's inside, algorithms are cuDNN's numbers.
//!
//! f32 is not cut to TF32, and sums of f16 and bf16 are f32. Without cuDNN no handle is made, and the reason goes to stderr,
//! once.

pub(crate) mod convolution;
mod cudnn;
pub(crate) mod descriptor;
pub(crate) mod handle;
pub(crate) mod pooling;
