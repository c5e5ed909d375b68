//! ROCm devices: a kind of device whose implementation is another crate's.
//!
//! candle's `Device` and `Storage` are closed enums. Here each gains one variant that holds anything which implements
//! candle's own traits [`BackendDevice`](crate::backend::BackendDevice) and
//! [`BackendStorage`](crate::backend::BackendStorage), plus [`Backend`], whose methods all have defaults. So this crate
//! depends on no ROCm, and a backend is an ordinary crate which calls [`register`] when it is loaded.
//!
//! | | |
//! |---|---|
//! | [`RocmDevice`], [`RocmStorage`], [`QRocmStorage`] | what the variants `Rocm` hold; `downcast_ref` gives the backend's own type |
//! | [`Backend`], [`register`] | what a backend implements, and how it makes itself known |
//! | [`FusedOp`], [`offer`] | operations which a backend may compute with one kernel |
//! | [`Gradient`], [`offer_with_gradient`], [`offer_backward`] | their gradients |
//! | [`Convolution`] | candle's convolution parameters, with public fields |
//! | [`PackedType`] | types of quantized weights for which candle has no name <!-- // Not proposed. --> |
//! | [`Source`] | where a backend reads quantized weights from |
//! | [`AsCuda`], [`set_as_cuda`] | what CUDA's names give in a candle without CUDA <!-- // Not proposed. --> |
//!
//! Custom operations that have neither a fused kernel nor a `rocm_fwd` of their own run on the CPU, and say so once per
//! operation on stderr. After [`forbid_fallback`], that is an error instead.
#![warn(missing_docs, clippy::undocumented_unsafe_blocks)]

mod conv;
mod cuda; // Not proposed.
mod cumsum;
mod custom;
mod device;
mod experts;
mod fallback;
mod fused;
mod gradient;
mod grid_blocks; // Not proposed.
mod grids; // Not proposed.
mod packed; // Not proposed.
mod quantized;
mod quantized_product;
mod registry;
mod source;
mod storage;
mod variant; // Not proposed.

pub(crate) use conv::grouped;
pub use conv::Convolution;
pub use cuda::{as_cuda, as_cuda_unless_set, set_as_cuda, AsCuda}; // Not proposed.
pub(crate) use cuda::{cuda_is_available, is_cuda, new_cuda}; // Not proposed.
pub(crate) use cumsum::cumsum;
pub use custom::offer;
pub(crate) use custom::{cat, forward, forward_in_place};
pub use device::{Backend, RocmDevice};
pub(crate) use experts::experts;
pub use fallback::{forbid_fallback, NoImplementation};
pub use fused::{backward_declined, backward_taken, fused_declined, fused_taken, FusedOp, FUSED_OPS};
pub use gradient::{differentiable_gradients, offer_backward, offer_with_gradient, Gradient};
pub use packed::{PackedType, Packing}; // Not proposed.
pub use quantized::{QRocmStorage, QuantizedStorage};
pub(crate) use quantized_product::QuantizedProduct;
pub use registry::{is_available, register, Registration};
pub use source::Source;
pub use storage::RocmStorage;
pub(crate) use storage::{held, ErasedStorage, Held}; // Not proposed.
pub use variant::location; // Not proposed.

/// The type of a tensor's elements, whose crate's version depends on candle's.
pub use float8::F8E4M3;

use crate::{Result, Tensor};

/// The largest difference between two tensors of floats, relative to the largest value of `expected`.
pub fn relative_error(actual: &Tensor, expected: &Tensor) -> Result<f32> {
    let flat = |t: &Tensor| {
        t.to_device(&crate::Device::Cpu)?.to_dtype(crate::DType::F32)?.flatten_all()?.to_vec1::<f32>()
    };
    if actual.dims() != expected.dims() {
        crate::bail!("shapes differ: {:?}, expected {:?}", actual.dims(), expected.dims())
    }
    let (actual, expected) = (flat(actual)?, flat(expected)?);
    let largest = expected.iter().fold(0f32, |largest, e| largest.max(e.abs()));
    // f32::max would drop a NaN.
    let worse = |a: f32, b: f32| if a.is_nan() || b.is_nan() { f32::NAN } else { a.max(b) };
    let difference = actual.iter().zip(&expected).fold(0f32, |worst, (a, e)| worse(worst, (a - e).abs()));
    Ok(if difference == 0. { 0. } else { difference / largest })
}
