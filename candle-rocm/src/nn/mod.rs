//! What candle-nn computes with kernels of its own: the logistic function, softmax, norms, rotary embeddings, attention,
//! mixtures of experts. Where nothing else is said, tensors are contiguous, as on candle's other backends; results are in
//! the dtype of the input, one of f16, bf16, f32 and f64.

mod attention;
mod backward;
mod experts;
mod group_norm;
mod norm;
mod rotary;
mod rows;
mod softmax;

use candle_core::{DType, Layout};

use crate::hip::Buffer;
use crate::ops::layout::check_bounds;
use crate::ops::map::same;
use crate::ops::unary;
use crate::{RocmDType, RocmError, RocmStorage};

#[cfg(candle_rocm_seam)]
pub(crate) use attention::has as has_products;
pub use attention::{Attention, sdpa, sdpa_backward};
pub use backward::{
    MoeGradients, NormGradients, group_norm_backward, layer_norm_backward, moe_gemm_backward,
    rms_norm_backward, sigmoid_backward, softmax_last_dim_backward,
};
pub use experts::moe_gemm;
pub use group_norm::group_norm;
pub use norm::{layer_norm, rms_norm};
pub use rotary::{rope, rope_i, rope_thd};
pub use softmax::softmax_last_dim;

/// `1 / (1 + exp(-x))` of each element, in any layout.
pub fn sigmoid(x: &RocmStorage, layout: &Layout) -> Result<RocmStorage, RocmError> {
    Ok(RocmStorage { slice: unary::sigmoid(&x.device, &x.slice, layout)?, device: x.device.clone() })
}

fn unsupported<R>(op: &'static str, x: &RocmStorage) -> Result<R, RocmError> {
    Err(RocmError::UnsupportedDType { op, dtype: x.slice.dtype() })
}

pub(crate) fn floats(op: &'static str, x: &RocmStorage) -> Result<(), RocmError> {
    match x.slice.dtype() {
        DType::F16 | DType::BF16 | DType::F32 | DType::F64 => Ok(()),
        _ => unsupported(op, x),
    }
}

fn invalid<R>(op: &'static str, message: String) -> Result<R, RocmError> {
    Err(RocmError::InvalidArgument { op, message })
}

/// The elements, which follow each other from the layout's offset on.
fn contiguous<'a, T: RocmDType>(
    op: &'static str,
    what: &str,
    storage: &'a RocmStorage,
    layout: &Layout,
) -> Result<&'a Buffer<T>, RocmError> {
    let buffer = same::<T>(op, &storage.slice)?;
    check_bounds(op, layout, buffer.len())?;
    if !layout.is_contiguous() {
        let (shape, stride) = (layout.dims(), layout.stride());
        return invalid(
            op,
            format!(
                "{what} of shape {shape:?}, stride {stride:?} is not contiguous; call contiguous() first"
            ),
        );
    }
    Ok(buffer)
}
