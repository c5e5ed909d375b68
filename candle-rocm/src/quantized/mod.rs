//! Quantized weights: GGML's blocks in device memory. They can be created from floats, dequantized, and multiplied.
//!
//! [`QStorage`] is the storage of candle's quantized tensors on a ROCm device. It also works without candle's `Device::Rocm`.
//!
//! ```
//! use candle_core::backend::{BackendDevice, BackendStorage};
//! use candle_core::{CpuStorage, Layout, quantized::GgmlDType};
//! use candle_rocm::{RocmDevice, platform::HOST, quantized::QStorage};
//!
//! # // The CPU platform compiles kernels with the system's C++ compiler: without one, there is nothing to show.
//! # fn main() -> candle_core::Result<()> {
//! #     match example() {
//! #         Err(error) if matches!(candle_rocm::RocmError::of(&error), Some(candle_rocm::RocmError::Kernel(_))) => {
//! #             println!("{error}");
//! #             Ok(())
//! #         }
//! #         result => result,
//! #     }
//! # }
//! # fn example() -> candle_core::Result<()> {
//! // On an AMD card: RocmDevice::new(0)?. This one is the CPU.
//! let device = RocmDevice::on(HOST, 0)?;
//! // Two rows of 32 weights, and a vector.
//! let mut weights = QStorage::zeros(&device, 64, GgmlDType::Q8_0)?;
//! weights.quantize_from(&[[1f32; 32], [-2f32; 32]].concat(), None)?;
//! let x = device.storage_from_slice(&[0.5f32; 32])?;
//! let y = weights.forward((2, 32), &x, &Layout::contiguous((1, 32)))?;
//! assert!(matches!(y.to_cpu_storage()?, CpuStorage::F32(y) if (y[0] - 16.).abs() < 0.1 && (y[1] + 32.).abs() < 0.1));
//! # Ok(())
//! # }
//! ```

mod activations;
mod algorithm;
mod blocks;
pub(crate) mod candidates;
mod dequantize;
pub(crate) mod expert_candidates;
mod expert_sizes;
mod experts;
mod matrix;
mod modules;
mod operation;
mod product;
pub(crate) mod stream;
mod tiles;

use std::sync::Arc;

use candle_core::backend::BackendStorage;
use candle_core::quantized::{GgmlDType, QuantizedType};
use candle_core::{CpuStorage, DType, Layout};

use crate::common::plan::check_bounds;
use crate::count::{elem_count, saturating};
use crate::dtype::QUANTIZED;
use crate::error::{Result, RocmError};
use crate::hip::{Buffer, Fill};
use crate::{RocmDevice, RocmStorage, RocmStorageSlice};

pub use crate::block_type::BlockType;
pub use algorithm::Algorithm;
pub(crate) use algorithm::MOST_TILED;
pub(crate) use blocks::Product;
pub(crate) use candidates::FEW;
pub(crate) use matrix::QMatrix;
#[cfg(candle_rocm_seam)]
pub(crate) use operation::Routed;
pub(crate) use operation::{QExperts, QRows};
pub(crate) use tiles::{TileEpilogue, TiledVectors};

/// For errors and profiles.
pub(crate) const PRODUCT: &str = "qmatmul";

/// Quantized weights of one of GGML's types, in device memory.
///
/// Rows follow each other without gaps and consist of whole blocks, so the last dimension of a matrix is a multiple of the type's block
/// size. The shape itself is not stored; methods that need it take it as an argument.
#[derive(Debug)]
pub struct QStorage {
    data: Arc<Data>,
    kind: BlockType,
    device: RocmDevice,
}

#[derive(Debug)]
enum Data {
    Blocks(Buffer<u8>),
    /// Of F32, F16 and BF16, which are blocks of one.
    Floats(RocmStorageSlice),
}

impl QStorage {
    /// Uploads blocks in the format of a file.
    ///
    /// # Errors
    /// [`RocmError::InvalidArgument`] unless the bytes are whole blocks.
    pub fn from_data(device: &RocmDevice, data: &[u8], kind: impl Into<BlockType>) -> Result<Self> {
        Self::read(device, data.len(), Fill::AnyOrder(&Fill::from_bytes(data)), kind)
    }

    /// Uploads `size` bytes of blocks, which `fill` writes to pinned memory, from which the device copies them.
    ///
    /// # Errors
    /// [`RocmError::InvalidArgument`] unless the bytes are whole blocks; [`HipError::Fill`](crate::hip::HipError::Fill) with the error that
    /// `fill` returned.
    pub fn read(
        device: &RocmDevice,
        size: usize,
        fill: Fill<'_>,
        kind: impl Into<BlockType>,
    ) -> Result<Self> {
        let kind = kind.into();
        if !size.is_multiple_of(kind.type_size()) {
            return invalid(
                "quantized weights",
                format!(
                    "{size} bytes is not a multiple of the {kind} block size ({} bytes)",
                    kind.type_size()
                ),
            );
        }
        let len = size / kind.type_size();
        let data = match kind {
            BlockType::Candle(GgmlDType::F32) => {
                Data::Floats(RocmStorageSlice::F32(device.upload_with(len, fill)?))
            }
            BlockType::Candle(GgmlDType::F16) => {
                Data::Floats(RocmStorageSlice::F16(device.upload_with(len, fill)?))
            }
            BlockType::Candle(GgmlDType::BF16) => {
                Data::Floats(RocmStorageSlice::BF16(device.upload_with(len, fill)?))
            }
            _ => Data::Blocks(device.upload_with(size, fill)?),
        };
        Ok(Self { data: data.into(), kind, device: device.clone() })
    }

    /// Allocates `len` weights, all zero.
    ///
    /// # Errors
    /// [`RocmError::InvalidArgument`] unless `len` is a multiple of the type's block size.
    pub fn zeros(device: &RocmDevice, len: usize, kind: impl Into<BlockType>) -> Result<Self> {
        let kind = kind.into();
        if !len.is_multiple_of(kind.block_size()) {
            return invalid(
                "quantized weights",
                format!("{len} elements is not a multiple of the {kind} block size ({})", kind.block_size()),
            );
        }
        let data = match float_dtype(kind) {
            Some(float) => Data::Floats(RocmStorageSlice::zeros(device, len, float)?),
            None => Data::Blocks(device.alloc_zeros(len / kind.block_size() * kind.type_size())?),
        };
        Ok(Self { data: data.into(), kind, device: device.clone() })
    }

    /// The type of the weights.
    pub fn block_type(&self) -> BlockType {
        self.kind
    }

    /// The type that candle sees: [`BlockType::shown_as`].
    pub fn dtype(&self) -> GgmlDType {
        self.kind.shown_as()
    }

    /// The device that the weights are on.
    pub fn device(&self) -> &RocmDevice {
        &self.device
    }

    /// The number of weights.
    #[expect(clippy::len_without_is_empty, reason = "no list, and nobody asks")]
    pub fn len(&self) -> usize {
        match &*self.data {
            Data::Blocks(blocks) => blocks.len() / self.kind.type_size() * self.kind.block_size(),
            Data::Floats(slice) => slice.len(),
        }
    }

    /// The size of the blocks in bytes.
    pub fn size_in_bytes(&self) -> usize {
        self.len() / self.kind.block_size() * self.kind.type_size()
    }

    /// The size of so many weights of a row.
    pub(crate) fn row_bytes(&self, columns: usize) -> usize {
        columns / self.kind.block_size() * self.kind.type_size()
    }

    /// The address of the blocks in device memory.
    pub fn device_ptr(&self) -> crate::hip::DevicePtr {
        match &*self.data {
            Data::Blocks(blocks) => blocks.as_ptr(),
            Data::Floats(RocmStorageSlice::F32(values)) => values.as_ptr(),
            Data::Floats(RocmStorageSlice::F16(values)) => values.as_ptr(),
            Data::Floats(RocmStorageSlice::BF16(values)) => values.as_ptr(),
            Data::Floats(_) => crate::hip::DevicePtr::NULL,
        }
    }

    /// Downloads the blocks, in the format of a file. Waits for the device.
    ///
    /// # Errors
    /// Those of work queued earlier on the device.
    pub fn data(&self) -> Result<Vec<u8>> {
        let slice = match &*self.data {
            Data::Blocks(blocks) => return self.device.download(blocks),
            Data::Floats(slice) => slice,
        };
        Ok(match slice.download(&self.device)? {
            CpuStorage::F32(values) => bytemuck::cast_slice(&values).to_vec(),
            CpuStorage::F16(values) => bytemuck::cast_slice(&values).to_vec(),
            CpuStorage::BF16(values) => bytemuck::cast_slice(&values).to_vec(),
            other => {
                return Err(RocmError::UnsupportedDType { op: "quantized weights", dtype: other.dtype() });
            }
        })
    }

    /// Quantizes `values`, one per weight, on the CPU with candle's own code. `importance` has one element per column, by which the K types
    /// choose their scales (candle's `quantize_imatrix`).
    ///
    /// # Errors
    /// [`RocmError::InvalidArgument`] if lengths do not match, or the type does not support importance weights.
    pub fn quantize_from(&mut self, values: &[f32], importance: Option<&[f32]>) -> Result<()> {
        const OP: &str = "quantize";
        if values.len() != self.len() {
            return invalid(OP, format!("{} values for {} weights", values.len(), self.len()));
        }
        let BlockType::Candle(dtype) = self.kind else {
            let message =
                format!("nothing here packs values as {}; quantize to one of candle's types", self.kind);
            return invalid(OP, message);
        };
        let mut blocks = dtype.cpu_zeros(values.len());
        match importance {
            None => blocks.from_float(values),
            Some(weights) => {
                use GgmlDType as G;
                if !matches!(dtype, G::Q2K | G::Q3K | G::Q4K | G::Q5K | G::Q6K) {
                    return invalid(
                        OP,
                        format!("no importance matrix for {dtype:?}: Q2K, Q3K, Q4K, Q5K, Q6K take one"),
                    );
                }
                let row = weights.len();
                if row == 0 || !row.is_multiple_of(dtype.block_size()) || !values.len().is_multiple_of(row) {
                    return invalid(
                        OP,
                        format!(
                            "{row} importance weights do not divide {} weights, or are not a multiple of the block size ({})",
                            values.len(),
                            dtype.block_size()
                        ),
                    );
                }
                blocks.from_float_imatrix(values, weights, row);
            }
        }
        *self = Self::from_data(&self.device, bytes_of(&*blocks), dtype)?;
        Ok(())
    }

    /// [`QStorage::quantize_from`] for values on the device.
    ///
    /// # Errors
    /// As [`QStorage::quantize_from`], and [`RocmError::UnsupportedDType`] unless the values are f32.
    pub fn quantize(&mut self, src: &RocmStorage, importance: Option<&[f32]>) -> Result<()> {
        self.device.check_same(&src.device, "quantize")?;
        match src.slice()?.download(&self.device)? {
            CpuStorage::F32(values) => self.quantize_from(&values, importance),
            other => Err(RocmError::UnsupportedDType { op: "quantize", dtype: other.dtype() }),
        }
    }

    /// [`RocmError::InvalidArgument`] unless these weights are `rows` rows of `columns`.
    pub(crate) fn check_shape(&self, op: &'static str, rows: usize, columns: usize) -> Result<()> {
        let block = self.kind.block_size();
        if !columns.is_multiple_of(block) {
            return invalid(
                op,
                format!("{columns} columns is not a multiple of the {} block size ({block})", self.kind),
            );
        }
        if rows.checked_mul(columns) != Some(self.len()) {
            return invalid(op, format!("{} weights do not have shape [{rows}, {columns}]", self.len()));
        }
        // What kernels count in 32 bits.
        if rows > MOST || columns > MOST {
            return invalid(
                op,
                format!("a matrix [{rows}, {columns}] exceeds the kernel's limit of {MOST} rows or columns"),
            );
        }
        Ok(())
    }
}

/// Rows and columns of a matrix.
pub(crate) const MOST: usize = i32::MAX as usize;

fn invalid<R>(op: &'static str, message: String) -> Result<R> {
    Err(RocmError::InvalidArgument { op, message })
}

/// F32, F16 and BF16 are candle's dtypes of those names.
fn float_dtype(kind: BlockType) -> Option<DType> {
    match kind {
        BlockType::Candle(GgmlDType::F32) => Some(DType::F32),
        BlockType::Candle(GgmlDType::F16) => Some(DType::F16),
        BlockType::Candle(GgmlDType::BF16) => Some(DType::BF16),
        _ => None,
    }
}

/// As the kernels' names spell it; None where there are no products, only conversions.
fn kernel_name(kind: BlockType) -> Option<&'static str> {
    QUANTIZED.iter().find(|(of, _)| *of == kind).map(|&(_, name)| name)
}

fn bytes_of(blocks: &dyn QuantizedType) -> &[u8] {
    // SAFETY: candle's blocks are plain bytes, this many, and live as long as the reference.
    unsafe { std::slice::from_raw_parts(blocks.as_ptr(), blocks.storage_size_in_bytes()) }
}

/// Rows of a contiguous tensor of rank 1 or more: how many, how long, and where they begin.
pub(crate) fn as_rows(op: &'static str, x: &RocmStorage, layout: &Layout) -> Result<(usize, usize, usize)> {
    check_bounds(op, layout, x.len())?;
    if !layout.is_contiguous() {
        let (shape, stride) = (layout.dims(), layout.stride());
        return invalid(
            op,
            format!(
                "the input of shape {shape:?}, stride {stride:?} is not contiguous; call contiguous() first"
            ),
        );
    }
    match layout.dims().split_last() {
        Some((&columns, rows)) if columns == 0 => Ok((saturating(rows), columns, layout.start_offset())),
        Some((&columns, rows)) => Ok((elem_count(op, rows)?, columns, layout.start_offset())),
        None => invalid(op, "the input has no dimensions; give it one with unsqueeze(0)".to_owned()),
    }
}
