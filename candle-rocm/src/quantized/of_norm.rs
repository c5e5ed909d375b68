//! Products of one vector that is the norm of a residual connection, which each block computes for itself; launches
//! `quantized_stream.hip`.

use candle_core::DType;
use smallvec::SmallVec;

use super::product::{Product, is_streamed, products_of};
use super::stream::{self, NormOfSum};
use super::{MOST_MATRICES, PRODUCT, QStorage};
use crate::common::linear::Linear;
use crate::error::{Result, RocmError};
use crate::hip::DevicePtr;
use crate::nn::AddNorm;
use crate::storage_slice::each_dtype;
use crate::{RocmDType, RocmStorage, RocmStorageSlice};

/// One vector, and matrices that it is multiplied with.
struct OfNorm<'a> {
    products: SmallVec<[Product<'a>; MOST_MATRICES]>,
    x: DevicePtr,
    norm: NormOfSum,
    sum: RocmStorageSlice,
}

impl QStorage {
    /// The sum of a residual connection, and what [`QStorage::forward_several`] gives for its RMS norm, all in one launch. The sum is bit
    /// by bit that of the operations one by one; the norm's squares are added in another order. `None` where that would not be the
    /// fastest; see [`QStorage::streamed_add_norm_several`].
    ///
    /// # Errors
    /// As [`rms_norm`](crate::nn::rms_norm) of the sum and [`QStorage::forward_with`].
    pub fn forward_add_norm_several(
        norm: &AddNorm<'_>,
        layers: &[Linear<'_, (&Self, (usize, usize))>],
    ) -> Result<Option<(RocmStorage, Vec<RocmStorage>)>> {
        match layers.iter().all(|layer| is_streamed(layer.weights.0, layer.weights.1, norm.a.0.dtype())) {
            true => Self::streamed_add_norm_several(norm, layers),
            false => Ok(None),
        }
    }

    /// [`QStorage::forward_add_norm_several`] by [`Algorithm::Streamed`](super::Algorithm::Streamed), also where another algorithm is the
    /// faster one. `None` for layer norms, norms without factors, as [`add_rms_norm`](crate::nn::add_rms_norm) and
    /// [`QStorage::streamed_several`], and without rows.
    ///
    /// # Errors
    /// As [`QStorage::forward_add_norm_several`].
    pub fn streamed_add_norm_several(
        norm: &AddNorm<'_>,
        layers: &[Linear<'_, (&Self, (usize, usize))>],
    ) -> Result<Option<(RocmStorage, Vec<RocmStorage>)>> {
        let (dtype, device) = (norm.a.0.dtype(), &norm.a.0.device);
        let Some(of) = of_norm(norm, layers)? else { return Ok(None) };
        let wrap = |slice| RocmStorage::new(slice, device.clone());
        let slices = stream::several(&of.products, of.x, Some(&of.norm), dtype)?;
        Ok(slices.map(|slices| (wrap(of.sum), slices.into_iter().map(wrap).collect())))
    }

    /// The sum of a residual connection, and what [`QStorage::forward_silu_mul`] gives for its RMS norm, in one launch; see
    /// [`QStorage::forward_add_norm_several`].
    ///
    /// # Errors
    /// As [`QStorage::forward_add_norm_several`].
    pub fn forward_add_norm_silu_mul(
        norm: &AddNorm<'_>,
        gate: &Self,
        up: &Self,
        shape: (usize, usize),
    ) -> Result<Option<[RocmStorage; 2]>> {
        match [gate, up].iter().all(|weights| is_streamed(weights, shape, norm.a.0.dtype())) {
            true => Self::streamed_add_norm_silu_mul(norm, gate, up, shape),
            false => Ok(None),
        }
    }

    /// [`QStorage::forward_add_norm_silu_mul`] by [`Algorithm::Streamed`](super::Algorithm::Streamed), also where another algorithm is the
    /// faster one. `None` as [`QStorage::streamed_add_norm_several`].
    ///
    /// # Errors
    /// As [`QStorage::forward_add_norm_several`].
    pub fn streamed_add_norm_silu_mul(
        norm: &AddNorm<'_>,
        gate: &Self,
        up: &Self,
        shape: (usize, usize),
    ) -> Result<Option<[RocmStorage; 2]>> {
        let (dtype, device) = (norm.a.0.dtype(), &norm.a.0.device);
        let Some(of) = of_norm(norm, &[(gate, shape).into(), (up, shape).into()])? else { return Ok(None) };
        let [gate, up] = &of.products[..] else { return Ok(None) };
        let slice = stream::silu_mul(gate, up, of.x, Some(&of.norm), dtype)?;
        Ok(slice.map(|slice| [of.sum, slice].map(|slice| RocmStorage::new(slice, device.clone()))))
    }
}

/// `None` where the kernels take another vector or other matrices.
fn of_norm<'a>(
    norm: &AddNorm<'a>,
    layers: &[Linear<'_, (&'a QStorage, (usize, usize))>],
) -> Result<Option<OfNorm<'a>>> {
    let (x, layout) = norm.a;
    let Some((products, at)) = products_of(layers, x, layout)? else { return Ok(None) };
    let dtype = x.dtype();
    let pointers = match dtype {
        DType::F64 => None,
        _ => each_dtype!(dtype, T => pointers::<T>(norm)?, else None),
    };
    let Some([b, alpha]) = pointers else { return Ok(None) };
    let columns = products.first().map_or(0, |product| product.columns);
    let sum = RocmStorageSlice::uninit(&x.device, columns, dtype)?;
    let norm = NormOfSum { b, alpha, sum: sum.address(), eps: norm.eps };
    Ok(Some(OfNorm { products, x: at, norm, sum }))
}

/// Where b and alpha are, if this is an RMS norm that kernels take.
fn pointers<T: RocmDType>(norm: &AddNorm<'_>) -> Result<Option<[DevicePtr; 2]>, RocmError> {
    let rms = !norm.centred && norm.beta.is_none();
    Ok(norm.held::<T>(PRODUCT)?.filter(|_| rms).and_then(|held| held.second_and_factors()))
}
