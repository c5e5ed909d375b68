//! Operations that candle offers as a whole: what a family says of each of its own besides what it says of all. `seam.rs` has the list.

use candle_core::{DType, Result, Shape};

use super::operand::Operand;
use super::operation::{Op, Operands as _};
use crate::RocmStorage;

/// What candle's offer of an operation is answered with.
pub(crate) trait Fused: Op {
    /// Whether there is a kernel where the first operand is of this dtype; otherwise candle computes the operation elsewhere. Operands
    /// that no kernel could take are an error that says so.
    fn takes(&self, first: DType) -> bool {
        let _ = first;
        true
    }

    /// Of the result, of operands that were not refused: the first one's, unless an operation says otherwise.
    fn shape(&self, operands: &Self::Operands<Operand<'_>>) -> Shape {
        operands.first().map_or(Shape::from(()), |(_, layout)| layout.shape().clone())
    }

    /// Gradients; `None` where there is no kernel for them, and candle composes them of operations.
    fn backward(&self, pass: Backward<'_, Self>) -> Result<Gradients<Self>> {
        let _ = pass;
        Ok(None)
    }
}

/// A gradient for each operand that wants one.
pub(crate) type Gradients<O> = Option<<O as Op>::Operands<Option<RocmStorage>>>;

/// What gradients are computed from.
pub(crate) struct Backward<'a, O: Op> {
    pub(crate) operands: O::Operands<Operand<'a>>,
    /// Which of these want one.
    pub(crate) wanted: O::Operands<bool>,
    /// The result.
    pub(crate) y: Operand<'a>,
    /// Its gradient.
    pub(crate) dy: Operand<'a>,
}
