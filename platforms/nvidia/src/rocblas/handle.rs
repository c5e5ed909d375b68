//! Handles.

use super::cublas::{self, Cublas};
use crate::exports::export;
use crate::hip::device::enter;
use cudarc::cublas::sys::{
    cublasAtomicsMode_t, cublasHandle_t, cublasMath_t, cublasPointerMode_t, cudaStream_t,
};
use rocm_sys::hip::hipStream_t;
use rocm_sys::implement::rocblas::{write, write_version};
use rocm_sys::rocblas::{
    rocblas_atomics_mode, rocblas_atomics_mode_, rocblas_handle, rocblas_math_mode, rocblas_math_mode_,
    rocblas_pointer_mode, rocblas_pointer_mode_, rocblas_status, rocblas_status_, status_text,
};
use std::ffi::{c_char, c_void};
use std::ptr;
use std::sync::Once;

/// f32 as it is, and sums of f16 and bf16 in f32 to the end.
const PRECISE: cublasMath_t = cublasMath_t::CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION;

/// cuBLAS, for a handle that is not null.
pub(super) fn of(handle: rocblas_handle) -> Result<(&'static Cublas, cublasHandle_t), rocblas_status> {
    if handle.is_null() {
        return Err(rocblas_status_::rocblas_status_invalid_handle);
    }
    Ok((open()?, handle.cast()))
}

fn open() -> Result<&'static Cublas, rocblas_status> {
    cublas::open().map_err(|why| {
        static ONCE: Once = Once::new();
        ONCE.call_once(|| eprintln!("candle-rocm-nvidia: {why}"));
        rocblas_status_::rocblas_status_not_implemented
    })
}

const VERSION: &[u8] = b"4.4.1.candle-rocm-nvidia\0";

export! {
    rocblas => EXPORTS;

    fn rocblas_create_handle(out: *mut rocblas_handle) -> rocblas_status {
        if out.is_null() {
            return Err(rocblas_status_::rocblas_status_invalid_handle);
        }
        enter().map_err(|_| rocblas_status_::rocblas_status_internal_error)?;
        let cublas = open()?;
        let mut handle = ptr::null_mut();
        // SAFETY: the out-parameters are valid, the caller's because it is not null; the handle is new.
        unsafe {
            cublas.cublasCreate_v2(&mut handle)?;
            cublas.cublasSetMathMode(handle, PRECISE)?;
            out.write(handle.cast());
        }
        Ok(())
    }

    fn rocblas_destroy_handle(handle: rocblas_handle) -> rocblas_status {
        let (cublas, handle) = of(handle)?;
        // SAFETY: the caller vouches for the handle.
        unsafe { cublas.cublasDestroy_v2(handle) }
    }

    fn rocblas_set_stream(handle: rocblas_handle, stream: hipStream_t) -> rocblas_status {
        let (cublas, handle) = of(handle)?;
        // SAFETY: the caller vouches for the handles.
        unsafe { cublas.cublasSetStream_v2(handle, stream.cast()) }
    }

    fn rocblas_get_stream(handle: rocblas_handle, out: *mut hipStream_t) -> rocblas_status {
        let (cublas, handle) = of(handle)?;
        let mut stream: cudaStream_t = ptr::null_mut();
        // SAFETY: the first out-parameter is valid, the second one the caller's, who vouches for the handle too.
        unsafe {
            cublas.cublasGetStream_v2(handle, &mut stream)?;
            write(out, stream.cast())
        }
    }

    fn rocblas_set_pointer_mode(handle: rocblas_handle, mode: rocblas_pointer_mode) -> rocblas_status {
        let (cublas, handle) = of(handle)?;
        let mode = match mode {
            rocblas_pointer_mode_::rocblas_pointer_mode_host => cublasPointerMode_t::CUBLAS_POINTER_MODE_HOST,
            rocblas_pointer_mode_::rocblas_pointer_mode_device => cublasPointerMode_t::CUBLAS_POINTER_MODE_DEVICE,
            _ => return Err(rocblas_status_::rocblas_status_invalid_value),
        };
        // SAFETY: the caller vouches for the handle.
        unsafe { cublas.cublasSetPointerMode_v2(handle, mode) }
    }

    fn rocblas_get_pointer_mode(handle: rocblas_handle, out: *mut rocblas_pointer_mode) -> rocblas_status {
        let (cublas, handle) = of(handle)?;
        let mut mode = cublasPointerMode_t::CUBLAS_POINTER_MODE_HOST;
        // SAFETY: as above; cuBLAS writes one of the two modes.
        unsafe {
            cublas.cublasGetPointerMode_v2(handle, &mut mode)?;
            // The numbers are the same.
            write(out, rocblas_pointer_mode_(mode as u32))
        }
    }

    fn rocblas_set_atomics_mode(handle: rocblas_handle, mode: rocblas_atomics_mode) -> rocblas_status {
        let (cublas, handle) = of(handle)?;
        let mode = match mode {
            rocblas_atomics_mode_::rocblas_atomics_not_allowed => cublasAtomicsMode_t::CUBLAS_ATOMICS_NOT_ALLOWED,
            rocblas_atomics_mode_::rocblas_atomics_allowed => cublasAtomicsMode_t::CUBLAS_ATOMICS_ALLOWED,
            _ => return Err(rocblas_status_::rocblas_status_invalid_value),
        };
        // SAFETY: the caller vouches for the handle.
        unsafe { cublas.cublasSetAtomicsMode(handle, mode) }
    }

    fn rocblas_get_atomics_mode(handle: rocblas_handle, out: *mut rocblas_atomics_mode) -> rocblas_status {
        let (cublas, handle) = of(handle)?;
        let mut mode = cublasAtomicsMode_t::CUBLAS_ATOMICS_NOT_ALLOWED;
        // SAFETY: as above; cuBLAS writes one of the two modes.
        unsafe {
            cublas.cublasGetAtomicsMode(handle, &mut mode)?;
            // The numbers are the same.
            write(out, rocblas_atomics_mode_(mode as u32))
        }
    }

    /// TF32 stands for AMD's XF32.
    fn rocblas_set_math_mode(handle: rocblas_handle, mode: rocblas_math_mode) -> rocblas_status {
        let (cublas, handle) = of(handle)?;
        let mode = match mode {
            rocblas_math_mode_::rocblas_default_math => PRECISE,
            rocblas_math_mode_::rocblas_xf32_xdl_math_op => cublasMath_t::CUBLAS_TF32_TENSOR_OP_MATH,
            _ => return Err(rocblas_status_::rocblas_status_invalid_value),
        };
        // SAFETY: the caller vouches for the handle.
        unsafe { cublas.cublasSetMathMode(handle, mode) }
    }

    fn rocblas_get_math_mode(handle: rocblas_handle, out: *mut rocblas_math_mode) -> rocblas_status {
        let (cublas, handle) = of(handle)?;
        let mut mode = PRECISE;
        // SAFETY: as above; cuBLAS gives back what was set.
        unsafe {
            cublas.cublasGetMathMode(handle, &mut mode)?;
            write(out, match mode {
                cublasMath_t::CUBLAS_TF32_TENSOR_OP_MATH => rocblas_math_mode_::rocblas_xf32_xdl_math_op,
                _ => rocblas_math_mode_::rocblas_default_math,
            })
        }
    }

    /// cuBLAS has memory of its own; what the user offers is not used.
    fn rocblas_set_workspace(handle: rocblas_handle, _address: *mut c_void, _size: usize) -> rocblas_status {
        of(handle).map(|_| ())
    }

    fn rocblas_get_version_string_size(len: *mut usize) -> rocblas_status {
        // SAFETY: the caller's out-parameter.
        unsafe { write(len, VERSION.len()) }
    }

    fn rocblas_get_version_string(buffer: *mut c_char, len: usize) -> rocblas_status {
        // SAFETY: the caller vouches for the buffer.
        unsafe { write_version(buffer, len, VERSION) }
    }

    fn rocblas_status_to_string(status: rocblas_status) -> *const c_char {
        status_text(status).as_ptr()
    }
}
