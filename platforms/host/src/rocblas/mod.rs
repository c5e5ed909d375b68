//! rocBLAS: handles and matrix products.
//!
//! Products are queued on the handle's stream, as kernels are; arguments are checked at the call, as rocBLAS checks them,
//! and whether the matrices lie in memory that is still there when the stream gets to them.

pub(crate) mod gemm;
pub(crate) mod handle;
mod product;
