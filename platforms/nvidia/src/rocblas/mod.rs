//! rocBLAS over cuBLAS: the handles are cuBLAS's own.
//!
//! f16 and bf16 are added up in f32, also where cuBLAS splits a sum, and f32 is not cut to TF32 unless the handle's math
//! mode says so. Without cuBLAS no handle is made, and the reason goes to stderr, once.

mod cublas;
pub(crate) mod gemm;
pub(crate) mod handle;
