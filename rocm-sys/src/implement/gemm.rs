//! rocBLAS's matrix products: all of its functions as one kind of call.

use std::ffi::c_void;

use crate::rocblas::{rocblas_datatype, rocblas_handle, rocblas_int, rocblas_operation, rocblas_stride};

pub use crate::gemm_exports;

/// The matrices of an operand as they were passed.
#[derive(Clone, Copy)]
pub struct GemmOperand {
    /// The first element.
    pub address: *const c_void,
    /// What elements are.
    pub datatype: rocblas_datatype,
    /// Elements between columns.
    pub ld: rocblas_int,
    /// Elements between matrices.
    pub stride: rocblas_stride,
}

/// A call's arguments, named as those of `rocblas_gemm_strided_batched_ex`: D = alpha op(A) op(B) + beta C.
#[allow(missing_docs)]
pub struct GemmCall {
    /// The function that was called.
    pub name: &'static str,
    pub handle: rocblas_handle,
    /// Of A and B.
    pub operations: [rocblas_operation; 2],
    /// m, n, k.
    pub size: [rocblas_int; 3],
    pub batch: rocblas_int,
    pub alpha: *const c_void,
    pub beta: *const c_void,
    pub a: GemmOperand,
    pub b: GemmOperand,
    pub c: GemmOperand,
    /// C, where the function has no D.
    pub d: GemmOperand,
    /// What factors are, and what sums are at least.
    pub compute: rocblas_datatype,
}

/// Defines rocBLAS's matrix products over one function `unsafe fn(&GemmCall) -> Result<(), rocblas_status>`:
/// `rocblas_?gemm` and `rocblas_?gemm_strided_batched` for s, d and h in the tables `SINGLE_EXPORTS`, `DOUBLE_EXPORTS` and
/// `HALF_EXPORTS`, `rocblas_gemm_ex` and `rocblas_gemm_strided_batched_ex` in `EXPORTS`.
#[macro_export]
macro_rules! gemm_exports {
    ($submit:path) => {
        $crate::gemm_exports! { @typed $submit, SINGLE_EXPORTS: rocblas_sgemm, rocblas_sgemm_strided_batched, f32,
            $crate::rocblas::rocblas_datatype_::rocblas_datatype_f32_r }
        $crate::gemm_exports! { @typed $submit, DOUBLE_EXPORTS: rocblas_dgemm, rocblas_dgemm_strided_batched, f64,
            $crate::rocblas::rocblas_datatype_::rocblas_datatype_f64_r }
        $crate::gemm_exports! { @typed $submit, HALF_EXPORTS: rocblas_hgemm, rocblas_hgemm_strided_batched,
            $crate::rocblas::rocblas_half, $crate::rocblas::rocblas_datatype_::rocblas_datatype_f16_r }

        $crate::implement::export! {
            rocblas => EXPORTS;

        /// Algorithm, solution and flags are hints, and there is only one way here.
        fn rocblas_gemm_ex(
            handle: $crate::rocblas::rocblas_handle, trans_a: $crate::rocblas::rocblas_operation, trans_b: $crate::rocblas::rocblas_operation, m: $crate::rocblas::rocblas_int,
            n: $crate::rocblas::rocblas_int, k: $crate::rocblas::rocblas_int, alpha: *const ::core::ffi::c_void, a: *const ::core::ffi::c_void, a_type: $crate::rocblas::rocblas_datatype,
            lda: $crate::rocblas::rocblas_int, b: *const ::core::ffi::c_void, b_type: $crate::rocblas::rocblas_datatype, ldb: $crate::rocblas::rocblas_int, beta: *const ::core::ffi::c_void,
            c: *const ::core::ffi::c_void, c_type: $crate::rocblas::rocblas_datatype, ldc: $crate::rocblas::rocblas_int, d: *mut ::core::ffi::c_void, d_type: $crate::rocblas::rocblas_datatype,
            ldd: $crate::rocblas::rocblas_int, compute: $crate::rocblas::rocblas_datatype, _algo: $crate::rocblas::rocblas_gemm_algo, _solution: i32, _flags: u32,
        ) -> $crate::rocblas::rocblas_status {
            let call = $crate::implement::GemmCall {
                name: "rocblas_gemm_ex",
                handle,
                operations: [trans_a, trans_b],
                size: [m, n, k],
                batch: 1,
                alpha,
                beta,
                a: $crate::implement::GemmOperand { address: a, datatype: a_type, ld: lda, stride: 0 },
                b: $crate::implement::GemmOperand { address: b, datatype: b_type, ld: ldb, stride: 0 },
                c: $crate::implement::GemmOperand { address: c, datatype: c_type, ld: ldc, stride: 0 },
                d: $crate::implement::GemmOperand { address: d, datatype: d_type, ld: ldd, stride: 0 },
                compute,
            };
            // SAFETY: the caller vouches for the arguments.
            unsafe { $submit(&call) }
        }

        /// As `rocblas_gemm_ex`, for a batch of matrices that lie evenly apart; 0 apart: all of them are the same.
        fn rocblas_gemm_strided_batched_ex(
            handle: $crate::rocblas::rocblas_handle, trans_a: $crate::rocblas::rocblas_operation, trans_b: $crate::rocblas::rocblas_operation, m: $crate::rocblas::rocblas_int,
            n: $crate::rocblas::rocblas_int, k: $crate::rocblas::rocblas_int, alpha: *const ::core::ffi::c_void, a: *const ::core::ffi::c_void, a_type: $crate::rocblas::rocblas_datatype,
            lda: $crate::rocblas::rocblas_int, stride_a: $crate::rocblas::rocblas_stride, b: *const ::core::ffi::c_void, b_type: $crate::rocblas::rocblas_datatype, ldb: $crate::rocblas::rocblas_int,
            stride_b: $crate::rocblas::rocblas_stride, beta: *const ::core::ffi::c_void, c: *const ::core::ffi::c_void, c_type: $crate::rocblas::rocblas_datatype, ldc: $crate::rocblas::rocblas_int,
            stride_c: $crate::rocblas::rocblas_stride, d: *mut ::core::ffi::c_void, d_type: $crate::rocblas::rocblas_datatype, ldd: $crate::rocblas::rocblas_int,
            stride_d: $crate::rocblas::rocblas_stride, batch: $crate::rocblas::rocblas_int, compute: $crate::rocblas::rocblas_datatype, _algo: $crate::rocblas::rocblas_gemm_algo,
            _solution: i32, _flags: u32,
        ) -> $crate::rocblas::rocblas_status {
            let call = $crate::implement::GemmCall {
                name: "rocblas_gemm_strided_batched_ex",
                handle,
                operations: [trans_a, trans_b],
                size: [m, n, k],
                batch,
                alpha,
                beta,
                a: $crate::implement::GemmOperand { address: a, datatype: a_type, ld: lda, stride: stride_a },
                b: $crate::implement::GemmOperand { address: b, datatype: b_type, ld: ldb, stride: stride_b },
                c: $crate::implement::GemmOperand { address: c, datatype: c_type, ld: ldc, stride: stride_c },
                d: $crate::implement::GemmOperand { address: d, datatype: d_type, ld: ldd, stride: stride_d },
                compute,
            };
            // SAFETY: the caller vouches for the arguments.
            unsafe { $submit(&call) }
        }
        }
    };
    (@typed $submit:path, $table:ident: $gemm:ident, $batched:ident, $number:ty, $datatype:expr) => {
        $crate::implement::export! {
            rocblas => $table;

            fn $gemm(
                handle: $crate::rocblas::rocblas_handle, trans_a: $crate::rocblas::rocblas_operation, trans_b: $crate::rocblas::rocblas_operation, m: $crate::rocblas::rocblas_int,
                n: $crate::rocblas::rocblas_int, k: $crate::rocblas::rocblas_int, alpha: *const $number, a: *const $number, lda: $crate::rocblas::rocblas_int,
                b: *const $number, ldb: $crate::rocblas::rocblas_int, beta: *const $number, c: *mut $number, ldc: $crate::rocblas::rocblas_int,
            ) -> $crate::rocblas::rocblas_status {
                let of = |address: *const $number, ld| {
                    $crate::implement::GemmOperand { address: address.cast(), datatype: $datatype, ld, stride: 0 }
                };
                let call = $crate::implement::GemmCall {
                    name: stringify!($gemm),
                    handle,
                    operations: [trans_a, trans_b],
                    size: [m, n, k],
                    batch: 1,
                    alpha: alpha.cast(),
                    beta: beta.cast(),
                    a: of(a, lda),
                    b: of(b, ldb),
                    c: of(c, ldc),
                    d: of(c, ldc),
                    compute: $datatype,
                };
                // SAFETY: the caller vouches for the arguments.
                unsafe { $submit(&call) }
            }

            fn $batched(
                handle: $crate::rocblas::rocblas_handle, trans_a: $crate::rocblas::rocblas_operation, trans_b: $crate::rocblas::rocblas_operation, m: $crate::rocblas::rocblas_int,
                n: $crate::rocblas::rocblas_int, k: $crate::rocblas::rocblas_int, alpha: *const $number, a: *const $number, lda: $crate::rocblas::rocblas_int,
                stride_a: $crate::rocblas::rocblas_stride, b: *const $number, ldb: $crate::rocblas::rocblas_int, stride_b: $crate::rocblas::rocblas_stride,
                beta: *const $number, c: *mut $number, ldc: $crate::rocblas::rocblas_int, stride_c: $crate::rocblas::rocblas_stride,
                batch: $crate::rocblas::rocblas_int,
            ) -> $crate::rocblas::rocblas_status {
                let of = |address: *const $number, ld, stride| {
                    $crate::implement::GemmOperand { address: address.cast(), datatype: $datatype, ld, stride }
                };
                let call = $crate::implement::GemmCall {
                    name: stringify!($batched),
                    handle,
                    operations: [trans_a, trans_b],
                    size: [m, n, k],
                    batch,
                    alpha: alpha.cast(),
                    beta: beta.cast(),
                    a: of(a, lda, stride_a),
                    b: of(b, ldb, stride_b),
                    c: of(c, ldc, stride_c),
                    d: of(c, ldc, stride_c),
                    compute: $datatype,
                };
                // SAFETY: the caller vouches for the arguments.
                unsafe { $submit(&call) }
            }
        }
    };
}
