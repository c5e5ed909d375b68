//! What candle's quantized tensors hold on a ROCm device.

use candle_core::backend::BackendStorage;
use candle_core::quantized::GgmlDType;
use candle_core::rocm::{self, PackedType, Packing, QuantizedStorage};
use candle_core::{CpuStorage, DType, Layout, Result, Shape};

use crate::common::operation::One;
use crate::count::saturating;
use crate::device::IndexedOp;
use crate::fusion::record;
use crate::hip::Fill;
use crate::quantized::{BlockType, PRODUCT, QExperts, QRows, QStorage, Routed};
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

/// What candle calls the types that it has no names for.
const PACKED: [(PackedType, BlockType); 12] = [
    (PackedType::Iq4Nl, BlockType::Iq4Nl),
    (PackedType::Iq4Xs, BlockType::Iq4Xs),
    (PackedType::Mxfp4, BlockType::Mxfp4),
    (PackedType::Tq1_0, BlockType::Tq1_0),
    (PackedType::Tq2_0, BlockType::Tq2_0),
    (PackedType::Iq2Xxs, BlockType::Iq2Xxs),
    (PackedType::Iq2Xs, BlockType::Iq2Xs),
    (PackedType::Iq2S, BlockType::Iq2S),
    (PackedType::Iq3Xxs, BlockType::Iq3Xxs),
    (PackedType::Iq3S, BlockType::Iq3S),
    (PackedType::Iq1S, BlockType::Iq1S),
    (PackedType::Iq1M, BlockType::Iq1M),
];

fn packed_type(kind: BlockType) -> Option<PackedType> {
    PACKED.iter().find(|(_, own)| *own == kind).map(|&(packed, _)| packed)
}

/// Blocks of a file, read to pinned memory.
pub(super) fn read(
    device: &RocmDevice,
    source: &mut rocm::Source<'_>,
    size: usize,
    kind: BlockType,
) -> Result<QStorage> {
    Ok(match source {
        rocm::Source::Parts(read) => QStorage::read(device, size, Fill::AnyOrder(&**read), kind),
        rocm::Source::Stream(reader) => {
            QStorage::read(device, size, Fill::InOrder(&mut |part| reader.read_exact(part)), kind)
        }
    }?)
}

impl Packing for RocmDevice {
    fn quantized_from_packed(
        &self,
        source: &mut rocm::Source<'_>,
        size: usize,
        dtype: PackedType,
    ) -> Result<Option<Box<dyn QuantizedStorage>>> {
        let Some(&(_, kind)) = PACKED.iter().find(|(packed, _)| *packed == dtype) else { return Ok(None) };
        Ok(Some(Box::new(read(self, source, size, kind)?)))
    }
}

impl QuantizedStorage for QStorage {
    fn dtype(&self) -> GgmlDType {
        QStorage::dtype(self)
    }

    fn size_in_bytes(&self) -> usize {
        let shown = QStorage::dtype(self);
        self.len() / shown.block_size() * shown.type_size()
    }

    fn data(&self) -> Result<Vec<u8>> {
        let blocks = QStorage::data(self)?;
        match packed_type(self.block_type()) {
            Some(packed) => packed.to_q8_0(&blocks),
            None => Ok(blocks),
        }
    }

    fn device_ptr(&self) -> Result<*const u8> {
        if let Some(packed) = packed_type(self.block_type()) {
            let message = format!("the weights are {} there, not {:?}", packed.name(), QStorage::dtype(self));
            return Err(RocmError::InvalidArgument { op: "device_ptr", message }.into());
        }
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
