//! With quantized matrices: a single row by `Algorithm::Streamed`, many rows by `Algorithm::Tiles`.

use smallvec::SmallVec;

use super::{Linear, MOST_MATRICES, ProductLaunch, Products, Weights, streamed, tiles};
use crate::dtype::DTypeExt;
use crate::hip::DevicePtr;
use crate::quantized::{FEW, Product, as_rows};
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

pub(super) fn run(described: &ProductLaunch<'_>) -> Result<Option<Products>> {
    let (op, (x, layout)) = (described.name(), described.rows.operand());
    let dtype = x.dtype();
    if !dtype.is_16_or_32_bit_float() {
        return Err(RocmError::UnsupportedDType { op, dtype });
    }
    let (vectors, columns, offset) = as_rows(op, x, layout)?;
    let rows = (x, layout.dims());
    let layers = described.layers.iter().map(|layer| Layer::of(op, rows, (vectors, columns), layer));
    let layers: Option<SmallVec<_>> = layers.collect::<Result<_>>()?;
    let (Some(layers), Some(outputs)) = (layers, described.outputs()) else { return Ok(None) };
    let operands = Operands { x, offset, vectors, columns, layers, outputs };
    match vectors {
        1 => streamed::run(op, described, operands),
        _ if vectors > FEW => tiles::run(described, operands),
        _ => Ok(None),
    }
}

impl<'a> Layer<'a> {
    /// For x, with so many rows of that length. `None` for types that have no kernel, and floats.
    fn of(
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
