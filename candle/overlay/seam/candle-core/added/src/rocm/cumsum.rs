//! Running sums as one operation.

use super::{offer_backward, offer_with_gradient, FusedOp, Gradient};
use crate::{Result, Tensor};

/// Running sums, if the backend takes them at once: candle multiplies with a triangular matrix, on the CPU for floats only.
pub(crate) fn cumsum(x: &Tensor, dim: usize) -> Result<Option<Tensor>> {
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
