//! Matrix products: all functions as one kind of call.

use std::ffi::c_void;

use rocm_sys::rocblas::{
    rocblas_datatype, rocblas_handle, rocblas_int, rocblas_operation, rocblas_operation_, rocblas_status_,
    rocblas_stride,
};

use super::RocblasResult;

/// Matrix products of a platform.
///
/// # Safety
///
/// Unsafe methods require what their C functions require: handles are valid, and memory is for as long as the call or the queued
/// work uses it.
///
/// # Errors
///
/// The code that the C function is to return.
#[allow(clippy::missing_safety_doc)]
pub trait Gemm {
    /// Checks the arguments and queues the product.
    unsafe fn gemm(call: &GemmCall) -> RocblasResult;
}

/// The matrices of an operand as they were passed.
#[derive(Clone, Copy)]
pub struct GemmOperand {
    /// The first element.
    pub address: *const c_void,
    /// The type of elements.
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
    /// The type of scalars, and the least precise type of sums.
    pub compute: rocblas_datatype,
}

/// The checked sizes of a call.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct GemmShape {
    pub m: usize,
    pub n: usize,
    pub k: usize,
    pub batch: usize,
    pub transposed_a: bool,
    pub transposed_b: bool,
}

impl GemmShape {
    /// Rows and columns of A as stored, before the operation.
    pub fn a(&self) -> (usize, usize) {
        if self.transposed_a { (self.k, self.m) } else { (self.m, self.k) }
    }

    /// Rows and columns of B as stored, before the operation.
    pub fn b(&self) -> (usize, usize) {
        if self.transposed_b { (self.n, self.k) } else { (self.k, self.n) }
    }

    /// Whether there is no result to compute.
    pub fn is_empty(&self) -> bool {
        self.m == 0 || self.n == 0 || self.batch == 0
    }
}

impl GemmCall {
    /// Checks operations, sizes and leading dimensions, in rocBLAS's order.
    ///
    /// # Errors
    ///
    /// `rocblas_status_invalid_value` for an unknown operation, `rocblas_status_invalid_size` for a negative size or a leading
    /// dimension smaller than the number of rows.
    pub fn shape(&self) -> RocblasResult<GemmShape> {
        let [transposed_a, transposed_b] =
            [is_transposed(self.operations[0])?, is_transposed(self.operations[1])?];
        let invalid = rocblas_status_::rocblas_status_invalid_size;
        let size = |size: rocblas_int| usize::try_from(size).map_err(|_| invalid);
        let [m, n, k] = self.size;
        let (m, n, k, batch) = (size(m)?, size(n)?, size(k)?, size(self.batch)?);
        let shape = GemmShape { m, n, k, batch, transposed_a, transposed_b };
        for (operand, rows) in [(&self.a, shape.a().0), (&self.b, shape.b().0), (&self.c, m), (&self.d, m)] {
            if size(operand.ld)? < rows {
                return Err(invalid);
            }
        }
        Ok(shape)
    }

    /// Whether D replaces C.
    ///
    /// # Errors
    ///
    /// `rocblas_status_invalid_value` if it does, with another leading dimension or stride.
    pub fn is_in_place(&self) -> RocblasResult<bool> {
        let in_place = self.c.address == self.d.address;
        if in_place && (self.c.ld != self.d.ld || self.c.stride != self.d.stride) {
            return Err(rocblas_status_::rocblas_status_invalid_value);
        }
        Ok(in_place)
    }

    /// Checks that the scalars that count are there.
    ///
    /// # Errors
    ///
    /// `rocblas_status_invalid_pointer` if beta, or alpha of a product that is not empty, is null.
    pub fn check_scalars(&self) -> RocblasResult {
        if self.beta.is_null() || (self.size[2] != 0 && self.alpha.is_null()) {
            return Err(rocblas_status_::rocblas_status_invalid_pointer);
        }
        Ok(())
    }
}

fn is_transposed(operation: rocblas_operation) -> RocblasResult<bool> {
    match operation {
        rocblas_operation_::rocblas_operation_none => Ok(false),
        rocblas_operation_::rocblas_operation_transpose
        | rocblas_operation_::rocblas_operation_conjugate_transpose => Ok(true),
        _ => Err(rocblas_status_::rocblas_status_invalid_value),
    }
}

/// Defines rocBLAS's matrix products for the [`Gemm`] of a platform: `rocblas_?gemm` and `rocblas_?gemm_strided_batched` for s, d
/// and h in the tables `SINGLE_EXPORTS`, `DOUBLE_EXPORTS` and `HALF_EXPORTS`, `rocblas_gemm_ex` and
/// `rocblas_gemm_strided_batched_ex` in `EXPORTS`.
#[macro_export]
macro_rules! rocblas_gemm_exports {
    ($platform:ident) => {
        mod functions {
            use super::$platform;
            use $crate::abi::rocblas::*;
            use $crate::rocblas::gemm::{Gemm, GemmCall, GemmOperand};

            $crate::rocblas_gemm_exports! { @typed $platform, SINGLE_EXPORTS:
                rocblas_sgemm, rocblas_sgemm_strided_batched, f32, rocblas_datatype_::rocblas_datatype_f32_r }
            $crate::rocblas_gemm_exports! { @typed $platform, DOUBLE_EXPORTS:
                rocblas_dgemm, rocblas_dgemm_strided_batched, f64, rocblas_datatype_::rocblas_datatype_f64_r }
            $crate::rocblas_gemm_exports! { @typed $platform, HALF_EXPORTS:
                rocblas_hgemm, rocblas_hgemm_strided_batched, rocblas_half, rocblas_datatype_::rocblas_datatype_f16_r }

            $crate::export! {
                $platform, rocblas => EXPORTS;

                /// Algorithm, solution and flags are hints, which are not taken.
                fn rocblas_gemm_ex(
                    handle: rocblas_handle, trans_a: rocblas_operation, trans_b: rocblas_operation, m: rocblas_int,
                    n: rocblas_int, k: rocblas_int, alpha: *const c_void, a: *const c_void, a_type: rocblas_datatype,
                    lda: rocblas_int, b: *const c_void, b_type: rocblas_datatype, ldb: rocblas_int, beta: *const c_void,
                    c: *const c_void, c_type: rocblas_datatype, ldc: rocblas_int, d: *mut c_void,
                    d_type: rocblas_datatype, ldd: rocblas_int, compute: rocblas_datatype, _algo: rocblas_gemm_algo,
                    _solution: i32, _flags: u32,
                ) -> rocblas_status {
                    let call = GemmCall {
                        name: "rocblas_gemm_ex",
                        handle,
                        operations: [trans_a, trans_b],
                        size: [m, n, k],
                        batch: 1,
                        alpha,
                        beta,
                        a: GemmOperand { address: a, datatype: a_type, ld: lda, stride: 0 },
                        b: GemmOperand { address: b, datatype: b_type, ld: ldb, stride: 0 },
                        c: GemmOperand { address: c, datatype: c_type, ld: ldc, stride: 0 },
                        d: GemmOperand { address: d, datatype: d_type, ld: ldd, stride: 0 },
                        compute,
                    };
                    // SAFETY: the caller vouches for the arguments.
                    unsafe { <$platform as Gemm>::gemm(&call) }
                }

                /// As `rocblas_gemm_ex`, for a batch of matrices at equal distances. At a distance of 0 all are the same.
                fn rocblas_gemm_strided_batched_ex(
                    handle: rocblas_handle, trans_a: rocblas_operation, trans_b: rocblas_operation, m: rocblas_int,
                    n: rocblas_int, k: rocblas_int, alpha: *const c_void, a: *const c_void, a_type: rocblas_datatype,
                    lda: rocblas_int, stride_a: rocblas_stride, b: *const c_void, b_type: rocblas_datatype,
                    ldb: rocblas_int, stride_b: rocblas_stride, beta: *const c_void, c: *const c_void,
                    c_type: rocblas_datatype, ldc: rocblas_int, stride_c: rocblas_stride, d: *mut c_void,
                    d_type: rocblas_datatype, ldd: rocblas_int, stride_d: rocblas_stride, batch: rocblas_int,
                    compute: rocblas_datatype, _algo: rocblas_gemm_algo, _solution: i32, _flags: u32,
                ) -> rocblas_status {
                    let call = GemmCall {
                        name: "rocblas_gemm_strided_batched_ex",
                        handle,
                        operations: [trans_a, trans_b],
                        size: [m, n, k],
                        batch,
                        alpha,
                        beta,
                        a: GemmOperand { address: a, datatype: a_type, ld: lda, stride: stride_a },
                        b: GemmOperand { address: b, datatype: b_type, ld: ldb, stride: stride_b },
                        c: GemmOperand { address: c, datatype: c_type, ld: ldc, stride: stride_c },
                        d: GemmOperand { address: d, datatype: d_type, ld: ldd, stride: stride_d },
                        compute,
                    };
                    // SAFETY: the caller vouches for the arguments.
                    unsafe { <$platform as Gemm>::gemm(&call) }
                }
            }
        }
        #[allow(unused_imports)]
        pub(crate) use functions::*;
    };
    (@typed $platform:ident, $table:ident: $gemm:ident, $batched:ident, $number:ty, $datatype:expr) => {
        $crate::export! {
            $platform, rocblas => $table;

            fn $gemm(
                handle: rocblas_handle, trans_a: rocblas_operation, trans_b: rocblas_operation, m: rocblas_int,
                n: rocblas_int, k: rocblas_int, alpha: *const $number, a: *const $number, lda: rocblas_int,
                b: *const $number, ldb: rocblas_int, beta: *const $number, c: *mut $number, ldc: rocblas_int,
            ) -> rocblas_status {
                let of = |address: *const $number, ld| {
                    GemmOperand { address: address.cast(), datatype: $datatype, ld, stride: 0 }
                };
                let call = GemmCall {
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
                unsafe { <$platform as Gemm>::gemm(&call) }
            }

            fn $batched(
                handle: rocblas_handle, trans_a: rocblas_operation, trans_b: rocblas_operation, m: rocblas_int,
                n: rocblas_int, k: rocblas_int, alpha: *const $number, a: *const $number, lda: rocblas_int,
                stride_a: rocblas_stride, b: *const $number, ldb: rocblas_int, stride_b: rocblas_stride,
                beta: *const $number, c: *mut $number, ldc: rocblas_int, stride_c: rocblas_stride, batch: rocblas_int,
            ) -> rocblas_status {
                let of = |address: *const $number, ld, stride| {
                    GemmOperand { address: address.cast(), datatype: $datatype, ld, stride }
                };
                let call = GemmCall {
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
                unsafe { <$platform as Gemm>::gemm(&call) }
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use rocm_sys::rocblas::rocblas_datatype_;
    use std::ptr;

    const NONE: rocblas_operation = rocblas_operation_::rocblas_operation_none;
    const TRANSPOSE: rocblas_operation = rocblas_operation_::rocblas_operation_transpose;

    fn call(operations: [rocblas_operation; 2], size: [rocblas_int; 3], ld: [rocblas_int; 4]) -> GemmCall {
        let operand = |ld| GemmOperand {
            address: ptr::null(),
            datatype: rocblas_datatype_::rocblas_datatype_f32_r,
            ld,
            stride: 0,
        };
        let [a, b, c, d] = ld.map(operand);
        let (handle, alpha, beta) = (ptr::null_mut(), ptr::null(), ptr::null());
        let compute = rocblas_datatype_::rocblas_datatype_f32_r;
        GemmCall { name: "", handle, operations, size, batch: 1, alpha, beta, a, b, c, d, compute }
    }

    #[test]
    fn shapes() {
        let shape = call([NONE, TRANSPOSE], [2, 3, 4], [2, 3, 2, 2]).shape().unwrap();
        assert_eq!((shape.a(), shape.b(), shape.is_empty()), ((2, 4), (3, 4), false));
        let size = Err(rocblas_status_::rocblas_status_invalid_size);
        for (sizes, ld) in [
            ([-1, 3, 4], [2, 3, 2, 2]),
            ([2, 3, 4], [1, 3, 2, 2]),
            ([2, 3, 4], [2, 2, 2, 2]),
            ([2, 3, 4], [2, 3, 1, 2]),
            ([2, 3, 4], [2, 3, 2, -1]),
        ] {
            assert_eq!(call([NONE, TRANSPOSE], sizes, ld).shape(), size, "{sizes:?} {ld:?}");
        }
        let unknown = call([rocblas_operation_(0), NONE], [2, 3, 4], [2, 4, 2, 2]).shape();
        assert_eq!(unknown, Err(rocblas_status_::rocblas_status_invalid_value));
    }

    #[test]
    fn in_place() {
        let invalid = Err(rocblas_status_::rocblas_status_invalid_value);
        assert_eq!(call([NONE; 2], [2; 3], [2; 4]).is_in_place(), Ok(true));
        assert_eq!(call([NONE; 2], [2; 3], [2, 2, 2, 3]).is_in_place(), invalid);
    }
}
