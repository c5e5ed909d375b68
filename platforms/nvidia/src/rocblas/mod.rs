//! rocBLAS over cuBLAS: the handles are cuBLAS's own.
//!
//! Sums of f16 and bf16 are f32 throughout, and f32 does not become TF32 unless the handle's math mode says so. Without cuBLAS no
//! handle is created, and the reason is printed to stderr once.

mod cublas;
pub(crate) mod gemm;
pub(crate) mod handle;
