//! Running sums as one operation.

use super::{offer_backward, offer_with_gradient, FusedOp, Gradient};
use crate::{Result, Tensor};

/// Running sums of floats, if the backend takes them at once: candle multiplies with a triangular matrix.
pub(crate) fn cumsum(x: &Tensor, dim: usize) -> Result<Option<Tensor>> {
    if !x.dtype().is_float() {
        return Ok(None);
    }
    offer_with_gradient(&FusedOp::CumSum { dim }, &[x], CumSum { dim })
}

struct CumSum {
    dim: usize,
}

/// An element adds to all results from its own on.
impl Gradient for CumSum {
    fn backward(&self, args: &[Tensor], result: &Tensor, grad: &Tensor) -> Result<Vec<Option<Tensor>>> {
        let dim = self.dim;
        match offer_backward(&FusedOp::CumSum { dim }, &[&args[0]], result, grad)? {
            Some(gradients) => Ok(gradients),
            None => Ok(vec![Some(grad.flip(&[dim])?.cumsum(dim)?.flip(&[dim])?)]),
        }
    }
}
