//! librocblas: handles and matrix products.

pub mod gemm;
pub mod handle;

pub use gemm::{Gemm, GemmCall, GemmOperand, GemmShape};
pub use handle::Handles;

use rocm_sys::rocblas::rocblas_status;

/// What rocBLAS's functions return.
pub type RocblasResult<T = ()> = Result<T, rocblas_status>;
