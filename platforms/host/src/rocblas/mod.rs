//! rocBLAS: handles and matrix products.
//!
//! Products are queued on the handle's stream, as kernels are. Arguments are checked by the call, as in rocBLAS. That the matrices
//! lie in live allocations is checked when the stream reaches the product.

pub(crate) mod gemm;
pub(crate) mod handle;
mod product;
