//! A matrix of quantized weights, as recorded operations keep it.

use std::sync::Arc;

use candle_core::{DType, Layout};

use super::tiles::gates_share_tiles;
use super::{Algorithm, BlockType, Data, FEW, MOST, PRODUCT, QStorage, as_rows, candidates, kernel_name};
use crate::count::product;
use crate::dtype::DTypeExt;
use crate::error::Result;
use crate::tuning::Tuner;
use crate::{RocmDevice, RocmStorage};

/// Weights and their shape, `[rows, columns]`, which fits. Without the device, which would never be dropped if what waits on it
/// kept it.
#[derive(Clone)]
pub(crate) struct QMatrix {
    data: Arc<Data>,
    kind: BlockType,
    shape: (usize, usize),
}

impl QStorage {
    /// These weights as a matrix.
    ///
    /// # Errors
    /// [`RocmError::InvalidArgument`](crate::RocmError::InvalidArgument) unless they are whole rows of that shape.
    #[cfg_attr(
        not(candle_rocm_seam),
        allow(dead_code, reason = "stock candle does not offer these products")
    )]
    pub(crate) fn matrix(&self, op: &'static str, shape: (usize, usize)) -> Result<QMatrix> {
        self.check_shape(op, shape.0, shape.1)?;
        Ok(QMatrix { data: self.data.clone(), kind: self.kind, shape })
    }
}

impl QMatrix {
    /// The weights, on their device.
    pub(crate) fn on(&self, device: &RocmDevice) -> QStorage {
        QStorage { data: self.data.clone(), kind: self.kind, device: device.clone() }
    }

    pub(crate) fn block_type(&self) -> BlockType {
        self.kind
    }

    pub(crate) fn shape(&self) -> (usize, usize) {
        self.shape
    }

    /// Elements of the product with contiguous vectors; `None` if it might be refused, or is empty.
    pub(crate) fn elements(&self, dtype: DType, vectors: &Layout) -> Option<usize> {
        let (rows, columns) = self.shape;
        let (&length, count) = vectors.dims().split_last()?;
        let count = product(count).filter(|&count| count <= MOST)?;
        let floats = dtype.is_16_or_32_bit_float();
        product(&[count, rows]).filter(|&elements| floats && length == columns && elements > 0 && columns > 0)
    }

    /// Whether one vector of that dtype is multiplied as fast as the weights can be read: then a launch may serve several matrices.
    pub(crate) fn is_streamed(&self, device: &RocmDevice, dtype: DType) -> bool {
        let weights = self.on(device);
        weights.algorithm(self.shape, 1) == Algorithm::Streamed
            && candidates::served(&weights, Algorithm::Streamed, self.shape, dtype, 1)
                == Some(Algorithm::Streamed)
    }

    /// Whether so many vectors of that dtype are multiplied in tiles that have an epilogue.
    pub(crate) fn is_tiled(&self, device: &RocmDevice, dtype: DType, vectors: usize) -> bool {
        let weights = self.on(device);
        let rule = || weights.algorithm(self.shape, vectors);
        let served = || candidates::served(&weights, rule(), self.shape, dtype, vectors);
        dtype == DType::F32 && vectors > FEW && served() == Some(Algorithm::Tiles)
    }

    /// Whether such tiles had better be those of a gate and of what it gates, two matrices of this shape.
    pub(crate) fn shares_tiles(&self, device: &RocmDevice, vectors: usize) -> bool {
        gates_share_tiles(device, self.shape.0, vectors)
    }
}

impl QStorage {
    /// Multiplies `x`, `[.., columns]`, contiguous, f32, f16 or bf16, by the transpose of these weights, `[rows, columns]`. The result is
    /// `[.., rows]` in the dtype of x.
    ///
    /// If vectors are quantized, a vector that contains NaN or infinity yields NaN.
    ///
    /// # Errors
    /// As [`QStorage::forward_with`].
    pub fn forward(&self, shape: (usize, usize), x: &RocmStorage, layout: &Layout) -> Result<RocmStorage> {
        let (vectors, _, _) = as_rows(PRODUCT, x, layout)?;
        let fixed = self.algorithm(shape, vectors);
        match Tuner::of(&self.device) {
            Some(tuner) if kernel_name(self.kind).is_some() => {
                candidates::forward(tuner, self, fixed, shape, (x, layout), vectors)
            }
            _ => self.forward_with(fixed, shape, x, layout),
        }
    }
}
