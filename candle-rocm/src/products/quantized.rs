//! With quantized matrices: a single row by `Algorithm::Streamed`, many rows by `Algorithm::Tiles`.

use smallvec::SmallVec;

use super::operands::{Layer, Operands};
use super::{ProductLaunch, Products, streamed, tiles};
use crate::dtype::DTypeExt;
use crate::quantized::{FEW, as_rows};
use crate::{Result, RocmError};

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
