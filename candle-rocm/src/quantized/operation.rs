//! What products with quantized weights, and rows of these, are as operations.

use candle_core::DType;

use super::{PRODUCT, QMatrix};
use crate::common::operand::Operand;
use crate::common::operation::{Described, One, Op, operands};
use crate::count::product;
use crate::device::IndexedOp;
use crate::dtype::DTypeExt;
use crate::{RocmDevice, RocmStorageSlice};

impl Op for QMatrix {
    type Operands<T> = One<T>;

    fn name(&self) -> &'static str {
        PRODUCT
    }

    fn key(&self, words: &mut Vec<u64>) {
        let (rows, columns) = self.shape();
        words.extend([self.block_type().word(), rows as u64, columns as u64]);
    }

    fn weights(&self, device: &RocmDevice) -> usize {
        self.on(device).size_in_bytes()
    }

    fn result(&self, _: &RocmDevice, One { x }: One<Described<'_>>) -> Option<(usize, DType)> {
        let elements = self.elements(x.dtype, x.layout)?;
        x.is_contiguous.then_some((elements, x.dtype))
    }

    fn run(
        &self,
        device: &RocmDevice,
        One { x: (x, layout) }: One<Operand<'_>>,
    ) -> candle_core::Result<RocmStorageSlice> {
        Ok(self.on(device).forward(self.shape(), x, layout)?.into_slice()?)
    }
}

/// Rows that indices name.
#[derive(Clone)]
pub(crate) struct QRows {
    pub(crate) weights: QMatrix,
    /// Indices.
    pub(crate) count: usize,
}

impl Op for QRows {
    type Operands<T> = One<T>;

    fn name(&self) -> &'static str {
        IndexedOp::QuantizedRows.name()
    }

    fn key(&self, words: &mut Vec<u64>) {
        self.weights.key(words);
        words.push(self.count as u64);
    }

    fn weights(&self, device: &RocmDevice) -> usize {
        self.count.saturating_mul(self.weights.on(device).row_bytes(self.weights.shape().1))
    }

    fn result(&self, _: &RocmDevice, One { x: ids }: One<Described<'_>>) -> Option<(usize, DType)> {
        let elements = product(&[ids.len, self.weights.shape().1])?;
        ids.is_parameter(DType::U32, ids.len).then_some((elements, DType::F32))
    }

    fn run(
        &self,
        device: &RocmDevice,
        One { x: (ids, layout) }: One<Operand<'_>>,
    ) -> candle_core::Result<RocmStorageSlice> {
        Ok(self.weights.on(device).rows(self.weights.shape(), ids, layout)?.into_slice()?)
    }
}

operands! {
    /// Vectors, and for each of them the experts that compute with it.
    Routed { x, ids }
}

/// [`experts_forward`](super::QStorage::experts_forward).
#[derive(Clone)]
pub(crate) struct QExperts {
    /// The experts' matrices, one below the other.
    pub(crate) weights: QMatrix,
    pub(crate) experts: usize,
    /// Indices.
    pub(crate) count: usize,
}

impl QExperts {
    /// The number of matrices, and their shape.
    fn sizes(&self) -> (usize, usize, usize) {
        let (rows, columns) = self.weights.shape();
        (self.experts, rows.checked_div(self.experts).unwrap_or_default(), columns)
    }
}

impl Op for QExperts {
    type Operands<T> = Routed<T>;

    fn name(&self) -> &'static str {
        IndexedOp::Experts.name()
    }

    fn key(&self, words: &mut Vec<u64>) {
        self.weights.key(words);
        words.extend([self.experts as u64, self.count as u64]);
    }

    fn weights(&self, device: &RocmDevice) -> usize {
        let (_, n, k) = self.sizes();
        self.count.saturating_mul(n).saturating_mul(self.weights.on(device).row_bytes(k))
    }

    fn result(&self, _: &RocmDevice, Routed { x, ids }: Routed<Described<'_>>) -> Option<(usize, DType)> {
        let (_, n, k) = self.sizes();
        let (&[tokens, topk], &[x_tokens, per_token, x_k]) = (ids.dims(), x.dims()) else { return None };
        let fits = x.dtype.is_16_or_32_bit_float()
            && x.is_contiguous
            && (x_tokens, x_k) == (tokens, k)
            && (per_token == 1 || per_token == topk)
            && ids.is_parameter(DType::U32, ids.len)
            // The largest of what is made in between, where an expert's weights are gathered as floats.
            && product(&[ids.len, n.max(1), k]).is_some();
        fits.then_some((product(&[ids.len, n])?, x.dtype))
    }

    fn run(
        &self,
        device: &RocmDevice,
        Routed { x, ids }: Routed<Operand<'_>>,
    ) -> candle_core::Result<RocmStorageSlice> {
        Ok(self.weights.on(device).experts_forward(self.sizes(), x, ids)?.into_slice()?)
    }
}
