//! Matrix products: all of them are `cublasGemmStridedBatchedEx`.

use super::handle;
use crate::exports::Nvidia;
use crate::hip::device::enter;
use cudarc::cublas::sys::{
    cublasComputeType_t, cublasGemmAlgo_t, cublasOperation_t, cublasPointerMode_t, cudaDataType,
    cudaDataType_t,
};
use rocm_platform::rocblas::{Gemm, GemmCall, RocblasResult};
use rocm_platform::rocblas_gemm_exports;
use rocm_sys::rocblas::{rocblas_datatype, rocblas_datatype_, rocblas_int, rocblas_status_};
use std::ffi::c_void;

const F16: rocblas_datatype = rocblas_datatype_::rocblas_datatype_f16_r;
const F32: rocblas_datatype = rocblas_datatype_::rocblas_datatype_f32_r;
const F64: rocblas_datatype = rocblas_datatype_::rocblas_datatype_f64_r;

impl Gemm for Nvidia {
    unsafe fn gemm(call: &GemmCall) -> RocblasResult {
        let (cublas, raw) = handle::of(call.handle)?;
        let shape = call.shape()?;
        let [m, n, k] = call.size;
        if shape.is_empty() {
            return Ok(());
        }
        call.check_scalars()?;
        if call.d.address.is_null() {
            return Err(rocblas_status_::rocblas_status_invalid_pointer);
        }
        let unknown = rocblas_status_::rocblas_status_not_implemented;
        let types = [call.a, call.b, call.d].map(|operand| datatype(operand.datatype));
        let [Some(a_type), Some(b_type), Some(d_type)] = types else { return Err(unknown) };
        let compute = compute(call.compute).ok_or(unknown)?;
        enter().map_err(|_| rocblas_status_::rocblas_status_internal_error)?;
        // cuBLAS works in place: another C must not count.
        if !call.is_in_place()? || call.c.datatype != call.d.datatype {
            let mut mode = cublasPointerMode_t::CUBLAS_POINTER_MODE_DEVICE;
            // SAFETY: the out-parameter is valid, and the caller vouches for the handle.
            unsafe { cublas.cublasGetPointerMode_v2(raw, &mut mode)? };
            let on_host = mode == cublasPointerMode_t::CUBLAS_POINTER_MODE_HOST;
            // SAFETY: the caller vouches for the factor.
            if !on_host || !unsafe { is_zero(call.beta, call.compute) } {
                return Err(unknown);
            }
        }
        // With no products to add, only beta counts; cuBLAS wants leading dimensions of at least 1.
        let one_at_least = |ld: rocblas_int| ld.max(1);
        // SAFETY: the caller vouches for everything.
        unsafe {
            cublas.cublasGemmStridedBatchedEx(
                raw,
                operation(shape.transposed_a),
                operation(shape.transposed_b),
                m,
                n,
                k,
                if call.alpha.is_null() { call.beta } else { call.alpha },
                call.a.address,
                a_type,
                one_at_least(call.a.ld),
                call.a.stride,
                call.b.address,
                b_type,
                one_at_least(call.b.ld),
                call.b.stride,
                call.beta,
                call.d.address.cast_mut(),
                d_type,
                call.d.ld,
                call.d.stride,
                call.batch,
                compute,
                cublasGemmAlgo_t::CUBLAS_GEMM_DFALT,
            )
        }
    }
}

/// # Safety
/// There is a number of that type.
unsafe fn is_zero(factor: *const c_void, of: rocblas_datatype) -> bool {
    // SAFETY: the caller vouches for it.
    unsafe {
        match of {
            F16 => factor.cast::<u16>().read_unaligned() << 1 == 0,
            F64 => factor.cast::<f64>().read_unaligned() == 0.0,
            _ => factor.cast::<f32>().read_unaligned() == 0.0,
        }
    }
}

fn operation(transposed: bool) -> cublasOperation_t {
    if transposed { cublasOperation_t::CUBLAS_OP_T } else { cublasOperation_t::CUBLAS_OP_N }
}

fn datatype(datatype: rocblas_datatype) -> Option<cudaDataType> {
    match datatype {
        F16 => Some(cudaDataType_t::CUDA_R_16F),
        rocblas_datatype_::rocblas_datatype_bf16_r => Some(cudaDataType_t::CUDA_R_16BF),
        F32 => Some(cudaDataType_t::CUDA_R_32F),
        F64 => Some(cudaDataType_t::CUDA_R_64F),
        _ => None,
    }
}

fn compute(datatype: rocblas_datatype) -> Option<cublasComputeType_t> {
    match datatype {
        F16 => Some(cublasComputeType_t::CUBLAS_COMPUTE_16F),
        F32 => Some(cublasComputeType_t::CUBLAS_COMPUTE_32F),
        F64 => Some(cublasComputeType_t::CUBLAS_COMPUTE_64F),
        _ => None,
    }
}

rocblas_gemm_exports! { Nvidia }
