//! The logistic function.

use candle_core::{DType, Layout};

use super::backward::same_shape;
use crate::common::map::Map1;
use crate::common::operand::{Operand, slice};
use crate::common::operation::{Described, One, Op};
use crate::elementwise::binary;
use crate::elementwise::unary::Unary;
use crate::{RocmDevice, RocmError, RocmStorage, RocmStorageSlice};

/// [`sigmoid`].
#[derive(Clone, Copy)]
pub(crate) struct Sigmoid;

impl Sigmoid {
    /// The function that it is.
    pub(crate) const FUNCTION: Unary = Unary { op: "sigmoid", kernel: "usigmoid" };
}

impl Op for Sigmoid {
    type Operands<T> = One<T>;

    fn name(&self) -> &'static str {
        Self::FUNCTION.op
    }

    fn key(&self, words: &mut Vec<u64>) {
        Self::FUNCTION.key(words);
    }

    fn result(&self, device: &RocmDevice, operands: One<Described<'_>>) -> Option<(usize, DType)> {
        Self::FUNCTION.result(device, operands)
    }

    fn run(&self, device: &RocmDevice, operands: One<Operand<'_>>) -> candle_core::Result<RocmStorageSlice> {
        Self::FUNCTION.run(device, operands)
    }
}

/// The logistic function of each element, `1 / (1 + exp(-x))`. `x` may have any layout.
///
/// # Errors
/// [`RocmError::UnsupportedDType`] for integers; [`RocmError::LayoutOutOfBounds`] if the layout exceeds `x`.
pub fn sigmoid(x: &RocmStorage, layout: &Layout) -> Result<RocmStorage, RocmError> {
    Ok(x.with(Sigmoid::FUNCTION.map(&x.device, x.slice()?, layout)?))
}

/// Computes the gradient of the operand of [`sigmoid`], `dy * y * (1 - y)`, from the result `y` and its gradient `dy`, in any layout.
///
/// # Errors
/// [`RocmError::ShapeMismatch`], [`RocmError::DTypeMismatch`] or [`RocmError::WrongDevice`] if `y` and `dy` do not match.
pub fn sigmoid_backward(y: Operand<'_>, dy: Operand<'_>) -> Result<RocmStorage, RocmError> {
    const OP: &str = "sigmoid backward";
    let device = &y.0.device;
    device.check_same(&dy.0.device, OP)?;
    same_shape(OP, y.1, dy.1)?;
    Ok(y.0.with(binary::sigmoid_backward(device, slice(y)?, slice(dy)?)?))
}

#[cfg(candle_rocm_seam)]
mod fused {
    use candle_core::{DType, Result};

    use super::{Sigmoid, sigmoid_backward};
    use crate::common::fused::{Backward, Fused, Gradients};
    use crate::common::operation::One;

    impl Fused for Sigmoid {
        fn takes(&self, first: DType) -> bool {
            first.is_float()
        }

        fn backward(&self, Backward { y, dy, .. }: Backward<'_, Self>) -> Result<Gradients<Self>> {
            Ok(Some(One { x: Some(sigmoid_backward(y, dy)?) }))
        }
    }
}
