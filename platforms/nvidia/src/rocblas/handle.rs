//! Handles.

use super::cublas::{self, Cublas};
use crate::exports::Nvidia;
use crate::hip::device::enter;
use cudarc::cublas::sys::{
    cublasAtomicsMode_t, cublasHandle_t, cublasMath_t, cublasPointerMode_t, cudaStream_t,
};
use rocm_platform::rocblas::{Handles, RocblasResult};
use rocm_platform::rocblas_handle_exports;
use rocm_sys::hip::hipStream_t;
use rocm_sys::rocblas::{
    rocblas_atomics_mode, rocblas_atomics_mode_, rocblas_handle, rocblas_math_mode, rocblas_math_mode_,
    rocblas_pointer_mode, rocblas_pointer_mode_, rocblas_status_,
};
use std::ffi::{CStr, c_void};
use std::ptr;
use std::sync::Once;

/// f32 as it is, and sums of f16 and bf16 in f32 to the end.
const PRECISE: cublasMath_t = cublasMath_t::CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;

/// cuBLAS, for a handle that is not null.
pub(super) fn of(handle: rocblas_handle) -> RocblasResult<(&'static Cublas, cublasHandle_t)> {
    if handle.is_null() {
        return Err(rocblas_status_::rocblas_status_invalid_handle);
    }
    Ok((open()?, handle.cast()))
}

fn open() -> RocblasResult<&'static Cublas> {
    cublas::open().map_err(|why| {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| eprintln!("candle-rocm-nvidia: {why}"));
        rocblas_status_::rocblas_status_not_implemented
    })
}

/// The numbers of the first two kinds of modes are those of rocBLAS.
impl Handles for Nvidia {
    const VERSION: &'static CStr = c"4.4.1.candle-rocm-nvidia";

    fn create() -> RocblasResult<rocblas_handle> {
        enter().map_err(|_| rocblas_status_::rocblas_status_internal_error)?;
        let cublas = open()?;
        let mut handle = ptr::null_mut();
        // SAFETY: the out-parameter is valid; the handle is new.
        unsafe {
            cublas.cublasCreate_v2(&mut handle)?;
            cublas.cublasSetMathMode(handle, PRECISE)?;
        }
        Ok(handle.cast())
    }

    unsafe fn destroy(handle: rocblas_handle) -> RocblasResult {
        let (cublas, handle) = of(handle)?;
        // SAFETY: the caller vouches for the handle.
        unsafe { cublas.cublasDestroy_v2(handle) }
    }

    unsafe fn set_stream(handle: rocblas_handle, stream: hipStream_t) -> RocblasResult {
        let (cublas, handle) = of(handle)?;
        // SAFETY: the caller vouches for the handles.
        unsafe { cublas.cublasSetStream_v2(handle, stream.cast()) }
    }

    unsafe fn stream(handle: rocblas_handle) -> RocblasResult<hipStream_t> {
        let (cublas, handle) = of(handle)?;
        let mut stream: cudaStream_t = ptr::null_mut();
        // SAFETY: the out-parameter is valid; the caller vouches for the handle.
        unsafe { cublas.cublasGetStream_v2(handle, &mut stream)? };
        Ok(stream.cast())
    }

    unsafe fn set_pointer_mode(handle: rocblas_handle, mode: rocblas_pointer_mode) -> RocblasResult {
        let (cublas, handle) = of(handle)?;
        let mode = match mode {
            rocblas_pointer_mode_::rocblas_pointer_mode_host => cublasPointerMode_t::CUBLAS_POINTER_MODE_HOST,
            _ => cublasPointerMode_t::CUBLAS_POINTER_MODE_DEVICE,
        };
        // SAFETY: the caller vouches for the handle.
        unsafe { cublas.cublasSetPointerMode_v2(handle, mode) }
    }

    unsafe fn pointer_mode(handle: rocblas_handle) -> RocblasResult<rocblas_pointer_mode> {
        let (cublas, handle) = of(handle)?;
        let mut mode = cublasPointerMode_t::CUBLAS_POINTER_MODE_HOST;
        // SAFETY: as above; cuBLAS writes one of the two modes.
        unsafe { cublas.cublasGetPointerMode_v2(handle, &mut mode)? };
        Ok(rocblas_pointer_mode_(mode as u32))
    }

    unsafe fn set_atomics_mode(handle: rocblas_handle, mode: rocblas_atomics_mode) -> RocblasResult {
        let (cublas, handle) = of(handle)?;
        let mode = match mode {
            rocblas_atomics_mode_::rocblas_atomics_not_allowed => {
                cublasAtomicsMode_t::CUBLAS_ATOMICS_NOT_ALLOWED
            }
            _ => cublasAtomicsMode_t::CUBLAS_ATOMICS_ALLOWED,
        };
        // SAFETY: the caller vouches for the handle.
        unsafe { cublas.cublasSetAtomicsMode(handle, mode) }
    }

    unsafe fn atomics_mode(handle: rocblas_handle) -> RocblasResult<rocblas_atomics_mode> {
        let (cublas, handle) = of(handle)?;
        let mut mode = cublasAtomicsMode_t::CUBLAS_ATOMICS_NOT_ALLOWED;
        // SAFETY: as above; cuBLAS writes one of the two modes.
        unsafe { cublas.cublasGetAtomicsMode(handle, &mut mode)? };
        Ok(rocblas_atomics_mode_(mode as u32))
    }

    /// TF32 stands for AMD's XF32.
    unsafe fn set_math_mode(handle: rocblas_handle, mode: rocblas_math_mode) -> RocblasResult {
        let (cublas, handle) = of(handle)?;
        let mode = match mode {
            rocblas_math_mode_::rocblas_default_math => PRECISE,
            _ => cublasMath_t::CUBLAS_TF32_TENSOR_OP_MATH,
        };
        // SAFETY: the caller vouches for the handle.
        unsafe { cublas.cublasSetMathMode(handle, mode) }
    }

    unsafe fn math_mode(handle: rocblas_handle) -> RocblasResult<rocblas_math_mode> {
        let (cublas, handle) = of(handle)?;
        let mut mode = PRECISE;
        // SAFETY: as above; cuBLAS gives back what was set.
        unsafe { cublas.cublasGetMathMode(handle, &mut mode)? };
        Ok(match mode {
            cublasMath_t::CUBLAS_TF32_TENSOR_OP_MATH => rocblas_math_mode_::rocblas_xf32_xdl_math_op,
            _ => rocblas_math_mode_::rocblas_default_math,
        })
    }

    /// cuBLAS has memory of its own; what the user offers is not used.
    unsafe fn set_workspace(handle: rocblas_handle, _address: *mut c_void, _size: usize) -> RocblasResult {
        of(handle).map(|_| ())
    }
}

rocblas_handle_exports! { Nvidia }
