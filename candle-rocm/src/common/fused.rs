//! Operations that candle offers as a whole: what a room says of each of its own. `seam.rs` has the list.

use candle_core::{Layout, Result, Shape};

use super::operand::{Operand, floats};
use crate::dtype::DTypeExt;
use crate::{RocmError, RocmStorage};

/// What candle's offer of an operation is answered with. `None`: there is no kernel for such operands, and candle computes it
/// elsewhere. Operands that no kernel could take are an error that says so.
pub(crate) trait Fused {
    /// The result and its shape.
    fn forward(&self, args: &[Operand<'_>]) -> Result<Option<(RocmStorage, Shape)>>;

    /// A gradient for each operand that wants one.
    fn backward(&self, pass: &Backward<'_>) -> Result<Option<Vec<Option<RocmStorage>>>> {
        let _ = pass;
        Ok(None)
    }
}

/// What gradients are computed from.
pub(crate) struct Backward<'a> {
    pub(crate) args: &'a [Operand<'a>],
    /// The result.
    pub(crate) y: Operand<'a>,
    /// Its gradient.
    pub(crate) dy: Operand<'a>,
    /// Which of the operands want one.
    pub(crate) wanted: &'a [bool],
}

/// `N` operands, if there are as many, and the first is of a float type that most kernels have.
pub(crate) fn float_operands<'a, const N: usize>(args: &[Operand<'a>]) -> Option<[Operand<'a>; N]> {
    let args: &[Operand<'a>; N] = args.try_into().ok()?;
    floats("", args[0].0).is_ok().then_some(*args)
}

/// Whether attention and mixtures of experts have kernels for this dtype.
pub(crate) fn has_products(x: &RocmStorage) -> bool {
    x.dtype().is_16_or_32_bit_float()
}

/// A result in the shape of an operand.
pub(crate) fn shaped_as(
    layout: &Layout,
    result: std::result::Result<RocmStorage, RocmError>,
) -> Result<Option<(RocmStorage, Shape)>> {
    Ok(Some((result?, layout.shape().clone())))
}
