//! The logistic function.

use candle_core::Layout;

use super::backward::same_shape;
use crate::common::operand::Operand;
use crate::elementwise::{binary, unary};
use crate::{RocmError, RocmStorage};

/// The logistic function, `1 / (1 + exp(-x))`, of each element. `x` may have any layout.
///
/// # Errors
/// [`RocmError::UnsupportedDType`] for integers; [`RocmError::LayoutOutOfBounds`] if the layout reaches outside `x`.
pub fn sigmoid(x: &RocmStorage, layout: &Layout) -> Result<RocmStorage, RocmError> {
    Ok(RocmStorage::new(unary::sigmoid(&x.device, x.slice()?, layout)?, x.device.clone()))
}

/// The gradient of [`sigmoid`]'s operand: `dy * y * (1 - y)`, given the result `y` and its gradient `dy`, in any layout.
///
/// # Errors
/// [`RocmError::ShapeMismatch`], [`RocmError::DTypeMismatch`] or a wrong device if `y` and `dy` do not match.
pub fn sigmoid_backward(y: Operand<'_>, dy: Operand<'_>) -> Result<RocmStorage, RocmError> {
    const OP: &str = "sigmoid_backward";
    let device = &y.0.device;
    device.check_same(&dy.0.device, OP)?;
    same_shape(OP, y.1, dy.1)?;
    let slice = binary::sigmoid_backward(device, (y.0.slice()?, y.1), (dy.0.slice()?, dy.1))?;
    Ok(RocmStorage::new(slice, device.clone()))
}

#[cfg(candle_rocm_seam)]
pub(crate) mod fused {
    use candle_core::{Result, Shape};

    use super::{Operand, RocmStorage, sigmoid, sigmoid_backward};
    use crate::common::fused::{Backward, Fused, shaped_as};

    pub(crate) struct Sigmoid;

    impl Fused for Sigmoid {
        fn forward(&self, args: &[Operand<'_>]) -> Result<Option<(RocmStorage, Shape)>> {
            match args {
                &[(x, l)] if x.dtype().is_float() => shaped_as(l, sigmoid(x, l)),
                _ => Ok(None),
            }
        }

        fn backward(&self, pass: &Backward<'_>) -> Result<Option<Vec<Option<RocmStorage>>>> {
            Ok(Some(vec![Some(sigmoid_backward(pass.y, pass.dy)?)]))
        }
    }
}
