//! libcublas: the functions that are used, and opening it.

use crate::hip::driver_version;
use crate::library::{self, functions, versioned_names};
use cudarc::cublas::sys;
use cudarc::cublas::sys::{
    cublasAtomicsMode_t, cublasComputeType_t, cublasGemmAlgo_t, cublasHandle_t, cublasMath_t,
    cublasOperation_t, cublasPointerMode_t, cudaDataType, cudaStream_t,
};
use rocm_sys::rocblas::{rocblas_status, rocblas_status_};
use std::ffi::{c_int, c_longlong, c_void};
use std::sync::OnceLock;

functions! { Cublas, sys: cublasStatus_t, check -> rocblas_status;
    fn cublasCreate_v2(out: *mut cublasHandle_t);
    fn cublasDestroy_v2(handle: cublasHandle_t);
    fn cublasSetStream_v2(handle: cublasHandle_t, stream: cudaStream_t);
    fn cublasGetStream_v2(handle: cublasHandle_t, out: *mut cudaStream_t);
    fn cublasSetPointerMode_v2(handle: cublasHandle_t, mode: cublasPointerMode_t);
    fn cublasGetPointerMode_v2(handle: cublasHandle_t, out: *mut cublasPointerMode_t);
    fn cublasSetAtomicsMode(handle: cublasHandle_t, mode: cublasAtomicsMode_t);
    fn cublasGetAtomicsMode(handle: cublasHandle_t, out: *mut cublasAtomicsMode_t);
    fn cublasSetMathMode(handle: cublasHandle_t, mode: cublasMath_t);
    fn cublasGetMathMode(handle: cublasHandle_t, out: *mut cublasMath_t);
    fn cublasGemmStridedBatchedEx(
        handle: cublasHandle_t, trans_a: cublasOperation_t, trans_b: cublasOperation_t, m: c_int, n: c_int, k: c_int,
        alpha: *const c_void, a: *const c_void, a_type: cudaDataType, lda: c_int, stride_a: c_longlong, b: *const c_void,
        b_type: cudaDataType, ldb: c_int, stride_b: c_longlong, beta: *const c_void, c: *mut c_void, c_type: cudaDataType,
        ldc: c_int, stride_c: c_longlong, batch: c_int, compute: cublasComputeType_t, algo: cublasGemmAlgo_t,
    );
}

/// cuBLAS's codes as the nearest ones of rocBLAS.
fn check(code: u32) -> Result<(), rocblas_status> {
    use sys::cublasStatus_t as cublas;
    const NEAREST: &[(cublas, rocblas_status)] = &[
        (cublas::CUBLAS_STATUS_NOT_INITIALIZED, rocblas_status_::rocblas_status_invalid_handle),
        (cublas::CUBLAS_STATUS_ALLOC_FAILED, rocblas_status_::rocblas_status_memory_error),
        (cublas::CUBLAS_STATUS_INVALID_VALUE, rocblas_status_::rocblas_status_invalid_value),
        (cublas::CUBLAS_STATUS_ARCH_MISMATCH, rocblas_status_::rocblas_status_arch_mismatch),
        (cublas::CUBLAS_STATUS_MAPPING_ERROR, rocblas_status_::rocblas_status_memory_error),
        (cublas::CUBLAS_STATUS_NOT_SUPPORTED, rocblas_status_::rocblas_status_not_implemented),
    ];
    if code == 0 {
        return Ok(());
    }
    let known = NEAREST.iter().find(|(cublas, _)| *cublas as u32 == code);
    Err(known.map_or(rocblas_status_::rocblas_status_internal_error, |&(_, status)| status))
}

/// The opened library, or why there is none.
pub(super) fn open() -> Result<&'static Cublas, &'static str> {
    static CUBLAS: OnceLock<Result<Cublas, String>> = OnceLock::new();
    let cublas = CUBLAS.get_or_init(|| {
        let advice = "install CUDA's cuBLAS (e.g. pip install nvidia-cublas, or the package libcublas-13-0), and name its \
                      folder in LD_LIBRARY_PATH or CANDLE_ROCM_CUDA_PATH";
        let library = library::open("cuBLAS", &versioned_names("libcublas.so", driver_version()), Some("libcublasLt.so"), advice)?;
        let cublas = Cublas::load(&library)
            .map_err(|missing| format!("cuBLAS is too old: it lacks {missing}; {advice}"))?;
        // It stays open until the process ends, as the functions above are kept.
        std::mem::forget(library);
        Ok(cublas)
    });
    cublas.as_ref().map_err(|why| &**why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes() {
        assert_eq!(check(0), Ok(()));
        for (code, status) in [
            (1, rocblas_status_::rocblas_status_invalid_handle),
            (3, rocblas_status_::rocblas_status_memory_error),
            (7, rocblas_status_::rocblas_status_invalid_value),
            (13, rocblas_status_::rocblas_status_internal_error),
            (15, rocblas_status_::rocblas_status_not_implemented),
            (u32::MAX, rocblas_status_::rocblas_status_internal_error),
        ] {
            assert_eq!(check(code), Err(status));
        }
    }
}
