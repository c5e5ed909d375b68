//! Products of half types whose results stay in f32.

use candle_core::{DType, Layout};
use half::{bf16, f16};

use super::{GemmShape, MATMUL, MatMul, ResultOf};
use crate::common::map::same;
use crate::common::operand::Operand;
use crate::{RocmDType, RocmError, RocmStorage};

impl RocmStorage {
    /// candle's `matmul` of f16 or bf16 operands with an f32 result. Products are accumulated in f32 and never rounded to a half type.
    /// Operands may have any layout whose last two dimensions are m x k and k x n. The result is contiguous.
    ///
    /// # Errors
    /// [`RocmError::UnsupportedDType`] for operands of other dtypes; otherwise as candle's `matmul`.
    pub fn matmul_f32(
        &self,
        rhs: &Self,
        (batch, m, n, k): (usize, usize, usize, usize),
        lhs_l: &Layout,
        rhs_l: &Layout,
    ) -> Result<Self, RocmError> {
        self.device.check_same(&rhs.device, MATMUL)?;
        let matmul = MatMul { shape: GemmShape { batch, m, n, k } };
        match self.dtype() {
            DType::F16 => typed::<f16>(&matmul, (self, lhs_l), (rhs, rhs_l)),
            DType::BF16 => typed::<bf16>(&matmul, (self, lhs_l), (rhs, rhs_l)),
            dtype => Err(RocmError::UnsupportedDType { op: MATMUL, dtype }),
        }
    }
}

fn typed<T: RocmDType>(
    matmul: &MatMul,
    (lhs, lhs_l): Operand<'_>,
    (rhs, rhs_l): Operand<'_>,
) -> Result<RocmStorage, RocmError>
where
    f32: ResultOf<T>,
{
    let (a, b) = (same::<T>(MATMUL, lhs.slice()?)?, same::<T>(MATMUL, rhs.slice()?)?);
    let out = matmul.multiply::<T, f32>(&lhs.device, (a, lhs_l), (b, rhs_l))?;
    Ok(lhs.with(f32::wrap(out)))
}
