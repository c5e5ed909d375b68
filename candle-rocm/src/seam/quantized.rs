//! What candle's quantized tensors hold on a ROCm device.

use candle_core::backend::BackendStorage;
use candle_core::quantized::GgmlDType;
use candle_core::rocm::{self, QuantizedStorage};
use candle_core::{CpuStorage, DType, Layout, Result, Shape};

use crate::quantized::QStorage;
use crate::{RocmDevice, RocmError, RocmStorage};

/// This crate's storage behind candle's.
fn own<'a>(op: &'static str, storage: &'a rocm::RocmStorage) -> Result<&'a RocmStorage> {
    Ok(storage.downcast_ref().ok_or_else(|| RocmError::InvalidArgument {
        op,
        message: "the tensor's device is another backend's than the quantized weights'".to_owned(),
    })?)
}

fn wrap(storage: RocmStorage, device: &rocm::RocmDevice) -> rocm::RocmStorage {
    rocm::RocmStorage::wrap::<RocmDevice>(storage, device)
}

impl QuantizedStorage for QStorage {
    fn dtype(&self) -> GgmlDType {
        QStorage::dtype(self)
    }

    fn size_in_bytes(&self) -> usize {
        QStorage::size_in_bytes(self)
    }

    fn data(&self) -> Result<Vec<u8>> {
        Ok(QStorage::data(self)?)
    }

    fn device_ptr(&self) -> Result<*const u8> {
        Ok(QStorage::device_ptr(self).as_raw().cast())
    }

    fn quantize_onto(&mut self, src: &CpuStorage, importance: Option<(&[f32], usize)>) -> Result<()> {
        let CpuStorage::F32(values) = src else {
            return Err(RocmError::UnsupportedDType { op: "quantize", dtype: src.dtype() }.into());
        };
        Ok(self.quantize_from(values, importance.map(|(weights, _)| weights))?)
    }

    fn dequantize(&self, device: &rocm::RocmDevice, elem_count: usize) -> Result<rocm::RocmStorage> {
        if elem_count != self.len() {
            let message = format!("expected {elem_count} elements, got {} weights", self.len());
            return Err(RocmError::InvalidArgument { op: "dequantize", message }.into());
        }
        Ok(wrap(QStorage::dequantize(self, DType::F32)?, device))
    }

    fn forward(
        &self,
        shape: &Shape,
        x: &rocm::RocmStorage,
        l: &Layout,
    ) -> Result<Option<(rocm::RocmStorage, Shape)>> {
        let (n, k) = shape.dims2()?;
        let product = QStorage::forward(self, (n, k), own("qmatmul", x)?, l)?;
        let rank = l.dims().len();
        let shape = [&l.dims()[..rank - 1], &[n]].concat();
        Ok(Some((wrap(product, x.device()), shape.into())))
    }

    fn embedding(
        &self,
        shape: (usize, usize),
        ids: &rocm::RocmStorage,
        l: &Layout,
    ) -> Result<Option<rocm::RocmStorage>> {
        let rows = self.rows(shape, own("quantized embedding", ids)?, l)?;
        Ok(Some(wrap(rows, ids.device())))
    }

    fn indexed_moe_forward(
        &self,
        shape: &Shape,
        (x, x_l): (&rocm::RocmStorage, &Layout),
        (ids, ids_l): (&rocm::RocmStorage, &Layout),
    ) -> Result<Option<(rocm::RocmStorage, Shape)>> {
        const OP: &str = "indexed_moe_forward";
        let (experts, n, k) = shape.dims3()?;
        let product = self.experts_forward((experts, n, k), (own(OP, x)?, x_l), (own(OP, ids)?, ids_l))?;
        let shape = [ids_l.dims(), &[n]].concat();
        Ok(Some((wrap(product, x.device()), shape.into())))
    }
}
