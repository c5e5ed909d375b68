//! Linear layers as operands.

use candle_core::Layout;

use super::operand::check_contiguous;
use crate::hip::DevicePtr;
use crate::{RocmError, RocmStorage};

/// A matrix W, and the bias that is added to its products.
#[derive(Clone, Copy, Debug)]
pub struct Linear<'a, W> {
    /// The matrix, `[n, k]`.
    pub weights: W,
    /// `[n]`, contiguous, of the products' dtype.
    pub bias: Option<(&'a RocmStorage, &'a Layout)>,
}

/// Without a bias.
impl<W> From<W> for Linear<'_, W> {
    fn from(weights: W) -> Self {
        Self { weights, bias: None }
    }
}

impl<W> Linear<'_, W> {
    /// Where the bias begins, for products with x.
    pub(crate) fn bias_at(
        &self,
        op: &'static str,
        x: &RocmStorage,
        n: usize,
    ) -> Result<Option<DevicePtr>, RocmError> {
        let Some((bias, layout)) = self.bias else { return Ok(None) };
        x.device.check_same(&bias.device, op)?;
        let dtype = bias.dtype();
        if dtype != x.dtype() {
            return Err(RocmError::DTypeMismatch { op, lhs: x.dtype(), rhs: dtype });
        }
        if layout.dims() != [n] {
            return Err(RocmError::ShapeMismatch { op, lhs: vec![n], rhs: layout.dims().to_vec() });
        }
        check_contiguous(op, "bias", layout, bias.len())?;
        // Without elements, there may be none to point to.
        let start = if n == 0 { 0 } else { layout.start_offset() * dtype.size_in_bytes() };
        Ok(Some(bias.slice()?.address().byte_add(start)))
    }
}
