//! What `QStorage::Rocm` holds: a backend's quantized blocks, or blocks on the CPU where a backend has none.

use std::any::Any;
use std::io::{Read, Seek};

use super::fallback::fall_back;
use super::{RocmDevice, RocmStorage, Source};
use crate::backend::{BackendDevice, BackendStorage};
use crate::op::BackpropOp;
use crate::quantized::gguf_file::TensorInfo;
use crate::quantized::{GgmlDType, QStorage, QTensor, QuantizedType};
use crate::{CpuStorage, DType, Layout, Result, Shape, Storage, Tensor};

/// Quantized blocks on a device of the backend. Everything else is built on these methods.
pub trait QuantizedStorage: Any + Send + Sync {
    /// The type of the blocks.
    fn dtype(&self) -> GgmlDType;

    /// The size of all blocks in bytes.
    fn size_in_bytes(&self) -> usize;

    /// Downloads the blocks, in the format of a file.
    fn data(&self) -> Result<Vec<u8>>;

    /// The address of the blocks on the device.
    fn device_ptr(&self) -> Result<*const u8>;

    /// Quantizes f32 values on the CPU. `importance` has `n_per_row` weights, see [`QuantizedType::from_float_imatrix`].
    fn quantize_onto(&mut self, src: &CpuStorage, importance: Option<(&[f32], usize)>) -> Result<()>;

    /// Quantizes f32 values on the device.
    fn quantize(&mut self, src: &RocmStorage, importance: Option<(&[f32], usize)>) -> Result<()> {
        self.quantize_onto(&src.to_cpu_storage()?, importance)
    }

    /// Dequantizes the blocks to f32.
    fn dequantize(&self, device: &RocmDevice, elem_count: usize) -> Result<RocmStorage>;

    /// Multiplies `x` by the transpose of this matrix of shape `[n, k]`; `None` if there is no kernel for that.
    fn forward(&self, shape: &Shape, x: &RocmStorage, l: &Layout) -> Result<Option<(RocmStorage, Shape)>> {
        let _ = (shape, x, l);
        Ok(None)
    }

    /// Dequantizes to f32 the rows selected by the contiguous u32 `ids`; `None` if there is no kernel for that.
    fn embedding(&self, shape: (usize, usize), ids: &RocmStorage, l: &Layout) -> Result<Option<RocmStorage>> {
        let _ = (shape, ids, l);
        Ok(None)
    }

    /// Multiplies each token by the experts that `ids` selects; see `QTensor::indexed_moe_forward`.
    fn indexed_moe_forward(
        &self,
        shape: &Shape,
        x: (&RocmStorage, &Layout),
        ids: (&RocmStorage, &Layout),
    ) -> Result<Option<(RocmStorage, Shape)>> {
        let _ = (shape, x, ids);
        Ok(None)
    }
}

/// Quantized blocks on a ROCm device of any backend.
pub struct QRocmStorage {
    blocks: Box<dyn QuantizedStorage>,
    device: RocmDevice,
}

impl RocmDevice {
    pub(crate) fn qzeros(&self, elem_count: usize, dtype: GgmlDType) -> Result<QRocmStorage> {
        let blocks = match self.erased().quantized_zeros(elem_count, dtype)? {
            Some(blocks) => blocks,
            None => Box::new(CpuBlocks(dtype.cpu_zeros(elem_count))),
        };
        Ok(QRocmStorage::new(blocks, self))
    }

    pub(crate) fn qfrom_data(&self, data: &[u8], dtype: GgmlDType) -> Result<QRocmStorage> {
        self.qfrom_source(&mut data.into(), data.len(), dtype)
    }

    fn qfrom_source(&self, source: &mut Source<'_>, size: usize, dtype: GgmlDType) -> Result<QRocmStorage> {
        let blocks = match self.erased().quantized_from_source(source, size, dtype)? {
            Some(blocks) => blocks,
            None => Box::new(CpuBlocks(dtype.from_data(source.to_vec(size)?.into()))),
        };
        Ok(QRocmStorage::new(blocks, self))
    }

    /// A tensor of a file, of which only parts are in the host's memory at any time.
    pub(crate) fn qread<R: Read + Seek>(
        &self,
        reader: &mut R,
        start: u64,
        size: usize,
        info: &TensorInfo,
    ) -> Result<QTensor> {
        let storage = match size {
            0 => self.qzeros(0, info.ggml_dtype)?,
            _ => self.qfrom_source(&mut Source::of(reader, start, size)?, size, info.ggml_dtype)?,
        };
        QTensor::new(QStorage::Rocm(storage), &info.shape)
    }
}

impl QRocmStorage {
    pub(super) fn new(blocks: Box<dyn QuantizedStorage>, device: &RocmDevice) -> Self {
        Self { blocks, device: device.clone() }
    }

    /// The backend's own type.
    pub fn downcast_ref<Q: 'static>(&self) -> Option<&Q> {
        (&*self.blocks as &dyn Any).downcast_ref()
    }

    /// The device that the blocks are on.
    pub fn device(&self) -> &RocmDevice {
        &self.device
    }

    /// The type of the blocks.
    pub fn dtype(&self) -> GgmlDType {
        self.blocks.dtype()
    }

    pub(crate) fn size_in_bytes(&self) -> usize {
        self.blocks.size_in_bytes()
    }

    pub(crate) fn data(&self) -> Result<Vec<u8>> {
        self.blocks.data()
    }

    pub(crate) fn device_ptr(&self) -> Result<*const u8> {
        self.blocks.device_ptr()
    }

    pub(crate) fn quantize(&mut self, src: &RocmStorage) -> Result<()> {
        self.blocks.quantize(src, None)
    }

    pub(crate) fn quantize_imatrix(
        &mut self,
        src: &RocmStorage,
        weights: &[f32],
        n_per_row: usize,
    ) -> Result<()> {
        self.blocks.quantize(src, Some((weights, n_per_row)))
    }

    pub(crate) fn quantize_onto(&mut self, src: &CpuStorage) -> Result<()> {
        self.blocks.quantize_onto(src, None)
    }

    pub(crate) fn quantize_imatrix_onto(
        &mut self,
        src: &CpuStorage,
        weights: &[f32],
        n_per_row: usize,
    ) -> Result<()> {
        self.blocks.quantize_onto(src, Some((weights, n_per_row)))
    }

    pub(crate) fn dequantize(&self, elem_count: usize) -> Result<RocmStorage> {
        self.blocks.dequantize(&self.device, elem_count)
    }

    pub(crate) fn forward(&self, shape: &Shape, x: &RocmStorage, l: &Layout) -> Result<(RocmStorage, Shape)> {
        if let Some(result) = self.blocks.forward(shape, x, l)? {
            return Ok(result);
        }
        let (n, k) = shape.dims2()?;
        let dims = l.dims();
        if dims.len() < 2 || dims[dims.len() - 1] != k || !l.is_contiguous() {
            crate::bail!("qmatmul: the input must be contiguous with a last dimension of {k}, got {l:?}")
        }
        fall_back("qmatmul", &self.device, (x, l))?;
        // Dequantized on the CPU, multiplied on the device.
        let rows = l.shape().elem_count() / k;
        let weights = self.dequantize(n * k)?;
        let dtype = x.dtype();
        let wide = x.to_dtype(l, DType::F32)?;
        let transposed = Layout::contiguous((n, k)).transpose(0, 1)?;
        let product = wide.matmul(&weights, (1, rows, n, k), &Layout::contiguous((rows, k)), &transposed)?;
        let shape = Shape::from([&dims[..dims.len() - 1], &[n]].concat());
        let product = if dtype == DType::F32 {
            product
        } else {
            product.to_dtype(&Layout::contiguous(&shape), dtype)?
        };
        Ok((product, shape))
    }

    /// `ids` are contiguous u32 on this device.
    #[allow(dead_code)] // Candle 0.10 and older have no quantized embedding.
    pub(crate) fn embedding_of(&self, ids: &Tensor, rows: usize, hidden: usize) -> Result<Storage> {
        let (ids, layout) = ids.storage_and_layout();
        let Storage::Rocm(ids) = &*ids else { crate::bail!("quantized embedding: the ids are not on rocm") };
        if let Some(result) = self.blocks.embedding((rows, hidden), ids, layout)? {
            return Ok(Storage::Rocm(result));
        }
        fall_back("quantized embedding", &self.device, (ids, layout))?;
        let weights = self.dequantize(rows * hidden)?;
        weights.index_select(ids, &Layout::contiguous((rows, hidden)), layout, 0).map(Storage::Rocm)
    }

    pub(crate) fn indexed_moe_forward_of(&self, shape: &Shape, x: &Tensor, ids: &Tensor) -> Result<Tensor> {
        // The kernel gives no gradient; candle's operations do.
        if !x.track_op() {
            let ((x, x_l), (ids, ids_l)) = (x.storage_and_layout(), ids.storage_and_layout());
            if let (Storage::Rocm(x), Storage::Rocm(ids)) = (&*x, &*ids) {
                if let Some((storage, shape)) =
                    self.blocks.indexed_moe_forward(shape, (x, x_l), (ids, ids_l))?
                {
                    return Ok(Tensor::from_storage(
                        Storage::Rocm(storage),
                        shape,
                        BackpropOp::none(),
                        false,
                    ));
                }
                fall_back("indexed_moe_forward", &self.device, (x, x_l))?;
            }
        }
        let weights = Tensor::from_storage(
            Storage::Rocm(self.dequantize(shape.elem_count())?),
            shape.clone(),
            BackpropOp::none(),
            false,
        );
        super::experts(&weights, x, ids)
    }
}

/// Blocks kept on the CPU, for a backend without quantized kernels.
struct CpuBlocks(Box<dyn QuantizedType>);

impl QuantizedStorage for CpuBlocks {
    fn dtype(&self) -> GgmlDType {
        self.0.dtype()
    }

    fn size_in_bytes(&self) -> usize {
        self.0.storage_size_in_bytes()
    }

    fn data(&self) -> Result<Vec<u8>> {
        // SAFETY: the blocks are plain bytes, this many, and live as long as `self`.
        let bytes = unsafe { std::slice::from_raw_parts(self.0.as_ptr(), self.0.storage_size_in_bytes()) };
        Ok(bytes.to_vec())
    }

    fn device_ptr(&self) -> Result<*const u8> {
        crate::bail!("this ROCm backend has no kernels for {:?}: its blocks are on the CPU", self.dtype())
    }

    fn quantize_onto(&mut self, src: &CpuStorage, importance: Option<(&[f32], usize)>) -> Result<()> {
        let values = src.as_slice::<f32>()?;
        match importance {
            None => self.0.from_float(values),
            Some((weights, n_per_row)) => self.0.from_float_imatrix(values, weights, n_per_row),
        }
        Ok(())
    }

    fn dequantize(&self, device: &RocmDevice, elem_count: usize) -> Result<RocmStorage> {
        device.storage_from_cpu_storage_owned(self.0.dequantize(elem_count)?)
    }
}
