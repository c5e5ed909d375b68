//! What candle's `matmul` is as an operation.

use candle_core::DType;

use super::{GemmEngine, GemmShape, MATMUL, MatMul, f8};
use crate::common::map::Map2;
use crate::common::operand::{Operand, slice};
use crate::common::operation::{Described, Op, Two};
use crate::{RocmDevice, RocmStorageSlice};

impl Op for MatMul {
    type Operands<T> = Two<T>;

    fn name(&self) -> &'static str {
        MATMUL
    }

    fn key(&self, words: &mut Vec<u64>) {
        let GemmShape { batch, m, n, k } = self.shape;
        words.extend([batch, m, n, k].map(|size| size as u64));
    }

    fn result(&self, device: &RocmDevice, Two { lhs, rhs }: Two<Described<'_>>) -> Option<(usize, DType)> {
        // Who insists on rocBLAS gets it, or an error.
        let fits = rhs.dtype == lhs.dtype && device.gemm_engine() != GemmEngine::Rocblas;
        fits.then_some((self.elements(lhs.layout, rhs.layout)?, lhs.dtype))
    }

    fn run(
        &self,
        device: &RocmDevice,
        Two { lhs, rhs }: Two<Operand<'_>>,
    ) -> candle_core::Result<RocmStorageSlice> {
        let (lhs, rhs) = (slice(lhs)?, slice(rhs)?);
        match f8::product(self, device, lhs, rhs)? {
            Some(product) => Ok(product),
            None => Ok(self.map(device, lhs, rhs)?),
        }
    }
}
