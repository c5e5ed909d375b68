//! The C functions of matrix products.

use super::handle::Handle;
use super::product::{Factor, Matrices, Product, Type, read_scalar};
use crate::exports::export;
use crate::runtime::stream::Task;
use rocm_sys::rocblas::{
    rocblas_datatype, rocblas_datatype_, rocblas_gemm_algo, rocblas_half, rocblas_handle, rocblas_int,
    rocblas_operation, rocblas_operation_, rocblas_pointer_mode_, rocblas_status, rocblas_status_,
    rocblas_stride,
};
use std::ffi::c_void;

const F16: rocblas_datatype = rocblas_datatype_::rocblas_datatype_f16_r;
const F32: rocblas_datatype = rocblas_datatype_::rocblas_datatype_f32_r;
const F64: rocblas_datatype = rocblas_datatype_::rocblas_datatype_f64_r;

/// An operand as it was passed.
#[derive(Clone, Copy)]
struct Operand {
    address: *const c_void,
    datatype: rocblas_datatype,
    ld: rocblas_int,
    stride: rocblas_stride,
}

/// A call's arguments.
struct Call {
    name: &'static str,
    handle: rocblas_handle,
    operations: [rocblas_operation; 2],
    /// m, n, k.
    size: [rocblas_int; 3],
    batch: rocblas_int,
    alpha: *const c_void,
    beta: *const c_void,
    a: Operand,
    b: Operand,
    c: Operand,
    d: Operand,
    /// What scalars are, and what sums are at least: sums of f16 are f32.
    compute: rocblas_datatype,
}

impl Call {
    /// Checks the arguments in rocBLAS's order, and queues the product.
    ///
    /// # Safety
    /// Scalars on the host are null or there, and as many bytes as `compute` says.
    unsafe fn submit(&self) -> Result<(), rocblas_status> {
        let handle = Handle::get(self.handle)?;
        let [transposed_a, transposed_b] = [transposed(self.operations[0])?, transposed(self.operations[1])?];
        let [m, n, k] = self.size.map(usize::try_from);
        let batch = usize::try_from(self.batch);
        let (Ok(m), Ok(n), Ok(k), Ok(batch)) = (m, n, k, batch) else {
            return Err(rocblas_status_::rocblas_status_invalid_size);
        };
        let a = self.a.matrices(if transposed_a { (k, m) } else { (m, k) });
        let b = self.b.matrices(if transposed_b { (n, k) } else { (k, n) });
        let (c, d) = (self.c.matrices((m, n)), self.d.matrices((m, n)));
        let (Some(a), Some(b), Some(c), Some(d)) = (a?, b?, c?, d?) else {
            return Err(rocblas_status_::rocblas_status_not_implemented);
        };
        let Some(scalar) =
            type_of(self.compute).filter(|&scalar| is_served([a.of, b.of, c.of, d.of], scalar))
        else {
            return Err(rocblas_status_::rocblas_status_not_implemented);
        };
        if self.c.address == self.d.address && (c.ld != d.ld || c.stride != d.stride) {
            return Err(rocblas_status_::rocblas_status_invalid_value);
        }
        if m == 0 || n == 0 || batch == 0 {
            return Ok(());
        }
        if self.beta.is_null() || (k != 0 && self.alpha.is_null()) {
            return Err(rocblas_status_::rocblas_status_invalid_pointer);
        }
        let on_host = handle.scalars == rocblas_pointer_mode_::rocblas_pointer_mode_host;
        let factor = |at: *const c_void| match on_host {
            // SAFETY: the caller vouches for scalars on the host.
            true => Factor::Value(unsafe { read_scalar(at as usize, scalar) }),
            false => Factor::At(at as usize, scalar),
        };
        let beta = factor(self.beta);
        let alpha = if k == 0 { Factor::Value(0.0) } else { factor(self.alpha) };
        let zero = |factor| matches!(factor, Factor::Value(0.0));
        // In place, with nothing to add.
        if zero(alpha) && matches!(beta, Factor::Value(1.0)) && self.c.address == self.d.address {
            return Ok(());
        }
        let missing_factor = !zero(alpha) && (self.a.address.is_null() || self.b.address.is_null());
        if missing_factor || (!zero(beta) && self.c.address.is_null()) || self.d.address.is_null() {
            return Err(rocblas_status_::rocblas_status_invalid_pointer);
        }
        let product = Product {
            m,
            n,
            k,
            batch,
            alpha,
            beta,
            a,
            b,
            transposed_a,
            transposed_b,
            c,
            d,
            double: scalar == Type::F64,
        };
        let task = Task::new(self.name, Box::new(move || product.run()));
        let stream = handle.stream()?;
        let queued = stream.device.check().and_then(|()| stream.submit(task));
        queued.map(|_| ()).map_err(|_| rocblas_status_::rocblas_status_internal_error)
    }
}

impl Operand {
    /// `Ok(None)`: of elements that no product here is made of.
    fn matrices(&self, (rows, columns): (usize, usize)) -> Result<Option<Matrices>, rocblas_status> {
        let ld = usize::try_from(self.ld).ok().filter(|&ld| ld >= rows);
        let ld = ld.ok_or(rocblas_status_::rocblas_status_invalid_size)?;
        let address = self.address as usize;
        Ok(type_of(self.datatype).map(|of| Matrices { address, rows, columns, ld, stride: self.stride, of }))
    }
}

fn transposed(operation: rocblas_operation) -> Result<bool, rocblas_status> {
    match operation {
        rocblas_operation_::rocblas_operation_none => Ok(false),
        rocblas_operation_::rocblas_operation_transpose
        | rocblas_operation_::rocblas_operation_conjugate_transpose => Ok(true),
        _ => Err(rocblas_status_::rocblas_status_invalid_value),
    }
}

fn type_of(datatype: rocblas_datatype) -> Option<Type> {
    match datatype {
        F16 => Some(Type::F16),
        rocblas_datatype_::rocblas_datatype_bf16_r => Some(Type::Bf16),
        F32 => Some(Type::F32),
        F64 => Some(Type::F64),
        _ => None,
    }
}

/// The combinations that rocBLAS has of these types.
fn is_served([a, b, c, d]: [Type; 4], compute: Type) -> bool {
    let combinations = [
        (Type::F16, Type::F16, Type::F16),
        (Type::F16, Type::F16, Type::F32),
        (Type::F16, Type::F32, Type::F32),
        (Type::Bf16, Type::Bf16, Type::F32),
        (Type::Bf16, Type::F32, Type::F32),
        (Type::F32, Type::F32, Type::F32),
        (Type::F64, Type::F64, Type::F64),
    ];
    a == b && c == d && combinations.contains(&(a, c, compute))
}

/// `rocblas_?gemm` and `rocblas_?gemm_strided_batched` of one type, and their table.
macro_rules! gemm_of {
    ($table:ident: $gemm:ident, $batched:ident, $number:ty, $datatype:expr) => {
        export! {
            rocblas => $table;

            fn $gemm(
                handle: rocblas_handle, trans_a: rocblas_operation, trans_b: rocblas_operation, m: rocblas_int,
                n: rocblas_int, k: rocblas_int, alpha: *const $number, a: *const $number, lda: rocblas_int,
                b: *const $number, ldb: rocblas_int, beta: *const $number, c: *mut $number, ldc: rocblas_int,
            ) -> rocblas_status {
                let of = |address: *const $number, ld| {
                    Operand { address: address.cast(), datatype: $datatype, ld, stride: 0 }
                };
                let call = Call {
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
                // SAFETY: the caller vouches for the scalars.
                unsafe { call.submit() }
            }

            fn $batched(
                handle: rocblas_handle, trans_a: rocblas_operation, trans_b: rocblas_operation, m: rocblas_int,
                n: rocblas_int, k: rocblas_int, alpha: *const $number, a: *const $number, lda: rocblas_int,
                stride_a: rocblas_stride, b: *const $number, ldb: rocblas_int, stride_b: rocblas_stride,
                beta: *const $number, c: *mut $number, ldc: rocblas_int, stride_c: rocblas_stride,
                batch: rocblas_int,
            ) -> rocblas_status {
                let of = |address: *const $number, ld, stride| {
                    Operand { address: address.cast(), datatype: $datatype, ld, stride }
                };
                let call = Call {
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
                // SAFETY: the caller vouches for the scalars.
                unsafe { call.submit() }
            }
        }
    };
}

gemm_of! { SINGLE_EXPORTS: rocblas_sgemm, rocblas_sgemm_strided_batched, f32, F32 }
gemm_of! { DOUBLE_EXPORTS: rocblas_dgemm, rocblas_dgemm_strided_batched, f64, F64 }
gemm_of! { HALF_EXPORTS: rocblas_hgemm, rocblas_hgemm_strided_batched, rocblas_half, F16 }

export! {
    rocblas => EXPORTS;

    /// Algorithm, solution and flags are hints, and there is only one way here.
    fn rocblas_gemm_ex(
        handle: rocblas_handle, trans_a: rocblas_operation, trans_b: rocblas_operation, m: rocblas_int,
        n: rocblas_int, k: rocblas_int, alpha: *const c_void, a: *const c_void, a_type: rocblas_datatype,
        lda: rocblas_int, b: *const c_void, b_type: rocblas_datatype, ldb: rocblas_int, beta: *const c_void,
        c: *const c_void, c_type: rocblas_datatype, ldc: rocblas_int, d: *mut c_void, d_type: rocblas_datatype,
        ldd: rocblas_int, compute: rocblas_datatype, _algo: rocblas_gemm_algo, _solution: i32, _flags: u32,
    ) -> rocblas_status {
        let call = Call {
            name: "rocblas_gemm_ex",
            handle,
            operations: [trans_a, trans_b],
            size: [m, n, k],
            batch: 1,
            alpha,
            beta,
            a: Operand { address: a, datatype: a_type, ld: lda, stride: 0 },
            b: Operand { address: b, datatype: b_type, ld: ldb, stride: 0 },
            c: Operand { address: c, datatype: c_type, ld: ldc, stride: 0 },
            d: Operand { address: d, datatype: d_type, ld: ldd, stride: 0 },
            compute,
        };
        // SAFETY: the caller vouches for the scalars.
        unsafe { call.submit() }
    }

    /// As [`rocblas_gemm_ex`], for a batch of matrices that lie evenly apart; 0 apart: all of them are the same.
    fn rocblas_gemm_strided_batched_ex(
        handle: rocblas_handle, trans_a: rocblas_operation, trans_b: rocblas_operation, m: rocblas_int,
        n: rocblas_int, k: rocblas_int, alpha: *const c_void, a: *const c_void, a_type: rocblas_datatype,
        lda: rocblas_int, stride_a: rocblas_stride, b: *const c_void, b_type: rocblas_datatype, ldb: rocblas_int,
        stride_b: rocblas_stride, beta: *const c_void, c: *const c_void, c_type: rocblas_datatype, ldc: rocblas_int,
        stride_c: rocblas_stride, d: *mut c_void, d_type: rocblas_datatype, ldd: rocblas_int,
        stride_d: rocblas_stride, batch: rocblas_int, compute: rocblas_datatype, _algo: rocblas_gemm_algo,
        _solution: i32, _flags: u32,
    ) -> rocblas_status {
        let call = Call {
            name: "rocblas_gemm_strided_batched_ex",
            handle,
            operations: [trans_a, trans_b],
            size: [m, n, k],
            batch,
            alpha,
            beta,
            a: Operand { address: a, datatype: a_type, ld: lda, stride: stride_a },
            b: Operand { address: b, datatype: b_type, ld: ldb, stride: stride_b },
            c: Operand { address: c, datatype: c_type, ld: ldc, stride: stride_c },
            d: Operand { address: d, datatype: d_type, ld: ldd, stride: stride_d },
            compute,
        };
        // SAFETY: the caller vouches for the scalars.
        unsafe { call.submit() }
    }
}
