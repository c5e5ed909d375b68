//! MIOpen over cuDNN: handles are cuDNN's own, descriptors are ours with cuDNN's inside, algorithms are cuDNN's numbers.
//!
//! f32 does not become TF32, and sums of f16 and bf16 are f32. Without cuDNN no handle is created, and the reason is printed to stderr
//! once.

pub(crate) mod convolution;
mod cudnn;
pub(crate) mod descriptor;
pub(crate) mod handle;
pub(crate) mod pooling;
