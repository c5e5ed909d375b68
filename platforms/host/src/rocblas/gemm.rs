//! Matrix products: checks, and what is queued.

use super::handle::Handle;
use super::product::{Factor, Matrices, Product, Type, read_scalar};
use crate::exports::Host;
use crate::runtime::stream::Task;
use rocm_platform::rocblas::{Gemm, GemmCall, GemmOperand, GemmShape, RocblasResult};
use rocm_platform::rocblas_gemm_exports;
use rocm_sys::rocblas::{rocblas_datatype, rocblas_datatype_, rocblas_pointer_mode_, rocblas_status_};
use std::ffi::c_void;

const F16: rocblas_datatype = rocblas_datatype_::rocblas_datatype_f16_r;
const F32: rocblas_datatype = rocblas_datatype_::rocblas_datatype_f32_r;
const F64: rocblas_datatype = rocblas_datatype_::rocblas_datatype_f64_r;

impl Gemm for Host {
    /// Arguments are checked in rocBLAS's order.
    unsafe fn gemm(call: &GemmCall) -> RocblasResult {
        let handle = Handle::get(call.handle)?;
        let shape = call.shape()?;
        let GemmShape { m, n, k, batch, transposed_a, transposed_b } = shape;
        let (a, b) = (matrices(&call.a, shape.a()), matrices(&call.b, shape.b()));
        let (c, d) = (matrices(&call.c, (m, n)), matrices(&call.d, (m, n)));
        let (Some(a), Some(b), Some(c), Some(d)) = (a, b, c, d) else {
            return Err(rocblas_status_::rocblas_status_not_implemented);
        };
        let Some(scalar) =
            type_of(call.compute).filter(|&scalar| is_served([a.of, b.of, c.of, d.of], scalar))
        else {
            return Err(rocblas_status_::rocblas_status_not_implemented);
        };
        let in_place = call.is_in_place()?;
        if shape.is_empty() {
            return Ok(());
        }
        call.check_scalars()?;
        let on_host = handle.scalars == rocblas_pointer_mode_::rocblas_pointer_mode_host;
        let factor = |at: *const c_void| match on_host {
            // SAFETY: the caller vouches for scalars on the host.
            true => Factor::Value(unsafe { read_scalar(at as usize, scalar) }),
            false => Factor::At(at as usize, scalar),
        };
        let beta = factor(call.beta);
        let alpha = if k == 0 { Factor::Value(0.0) } else { factor(call.alpha) };
        let zero = |factor| matches!(factor, Factor::Value(0.0));
        // In place, with nothing to add.
        if zero(alpha) && matches!(beta, Factor::Value(1.0)) && in_place {
            return Ok(());
        }
        let missing_factor = !zero(alpha) && (call.a.address.is_null() || call.b.address.is_null());
        if missing_factor || (!zero(beta) && call.c.address.is_null()) || call.d.address.is_null() {
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
        let task = Task::new(call.name, Box::new(move || product.run()));
        let stream = handle.stream()?;
        let queued = stream.device.check().and_then(|()| stream.submit(task));
        queued.map(|_| ()).map_err(|_| rocblas_status_::rocblas_status_internal_error)
    }
}

/// `None`: of elements that no product here is made of.
fn matrices(operand: &GemmOperand, (rows, columns): (usize, usize)) -> Option<Matrices> {
    let (address, ld) = (operand.address as usize, operand.ld as usize);
    let of = type_of(operand.datatype)?;
    Some(Matrices { address, rows, columns, ld, stride: operand.stride, of })
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

rocblas_gemm_exports! { Host }
