//! What candle's quantized tensors hold on a ROCm device.

use candle_core::backend::BackendStorage;
use candle_core::quantized::GgmlDType;
use candle_core::rocm::{self, QuantizedStorage};
use candle_core::{CpuStorage, DType, Layout, Result, Shape};

use crate::common::operation::One;
use crate::count::saturating;
use crate::device::IndexedOp;
use crate::fusion::record;
use crate::quantized::{PRODUCT, QExperts, QRows, QStorage, Routed};
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
        let weights = || QStorage::size_in_bytes(self);
        let values = self
            .device()
            .observe_with_weights("dequantize", &[], weights, || QStorage::dequantize(self, DType::F32))?;
        Ok(wrap(values, device))
    }

    fn forward(
        &self,
        shape: &Shape,
        x: &rocm::RocmStorage,
        l: &Layout,
    ) -> Result<Option<(rocm::RocmStorage, Shape)>> {
        let (n, k) = shape.dims2()?;
        let own = own(PRODUCT, x)?;
        self.device().check_same(&own.device, PRODUCT)?;
        let product = record(self.matrix(PRODUCT, (n, k))?, One { x: (own, l) })?;
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
        let op = IndexedOp::QuantizedRows.name();
        let own = own(op, ids)?;
        self.device().check_same(&own.device, op)?;
        let operation = QRows { weights: self.matrix(op, shape)?, count: saturating(l.dims()) };
        Ok(Some(wrap(record(operation, One { x: (own, l) })?, ids.device())))
    }

    fn indexed_moe_forward(
        &self,
        shape: &Shape,
        (x, x_l): (&rocm::RocmStorage, &Layout),
        (ids, ids_l): (&rocm::RocmStorage, &Layout),
    ) -> Result<Option<(rocm::RocmStorage, Shape)>> {
        let op = IndexedOp::Experts.name();
        let (experts, n, k) = shape.dims3()?;
        let (x_own, ids_own) = (own(op, x)?, own(op, ids)?);
        self.device().check_same(&x_own.device, op)?;
        let weights = self.matrix(op, (experts.saturating_mul(n), k))?;
        let operation = QExperts { weights, experts, count: saturating(ids_l.dims()) };
        let product = record(operation, Routed { x: (x_own, x_l), ids: (ids_own, ids_l) })?;
        let shape = [ids_l.dims(), &[n]].concat();
        Ok(Some((wrap(product, x.device()), shape.into())))
    }
}
