//! Quantized matrices, and the rows that they are multiplied with.

use smallvec::SmallVec;

use super::{Linear, MOST_MATRICES, Weights};
use crate::hip::DevicePtr;
use crate::quantized::Product;
use crate::{Result, RocmError, RocmStorage};

/// What is multiplied: `vectors` rows of `columns` elements, those of x from `offset` on.
pub(super) struct Operands<'a> {
    pub(super) x: &'a RocmStorage,
    pub(super) offset: usize,
    pub(super) vectors: usize,
    pub(super) columns: usize,
    pub(super) layers: SmallVec<[Layer<'a>; MOST_MATRICES]>,
    /// Products that are written.
    pub(super) outputs: usize,
}

/// A matrix, where what is added to its products begins, and the row stride of that, 0 for a bias.
pub(super) struct Layer<'a> {
    pub(super) weights: Product<'a>,
    pub(super) addend: Option<(DevicePtr, usize)>,
}

impl<'a> Layer<'a> {
    /// For x, with so many rows of that length. `None` for types that have no kernel, and floats.
    pub(super) fn of(
        op: &'static str,
        (x, dims): (&RocmStorage, &[usize]),
        (vectors, length): (usize, usize),
        layer: &Linear<'a>,
    ) -> Result<Option<Self>> {
        let Weights::Quantized((weights, (rows, columns))) = layer.weights else { return Ok(None) };
        weights.device().check_same(&x.device, op)?;
        weights.check_shape(op, rows, columns)?;
        if length != columns {
            return Err(RocmError::ShapeMismatch { op, lhs: dims.to_vec(), rhs: vec![rows, columns] });
        }
        let addend = layer.addend_at(op, x, rows, Some(vectors))?;
        Ok(weights.product((rows, columns)).map(|weights| Self { weights, addend }))
    }
}
