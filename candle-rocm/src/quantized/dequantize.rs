//! Weights as floats: all of them, or rows; launches `quantized.hip` and its like ([`super::modules`]).

use candle_core::quantized::GgmlDType as G;
use candle_core::{DType, Layout};
use rocm_kernels::QUANTIZED;

use super::{BlockType, Data, QStorage, as_rows, invalid, kernel_name};
use crate::common::launch::{KernelName, LaunchExt};
use crate::count::elem_count;
use crate::device::IndexedOp;
use crate::dtype::each_16_or_32_bit_float;
use crate::elementwise::cast;
use crate::error::{Result, RocmError};
use crate::hip::{Buffer, LaunchConfig};
use crate::{RocmDType, RocmDevice, RocmStorage, RocmStorageSlice};

/// Threads of a block.
const THREADS: usize = 256;
/// Blocks of a launch.
const MOST_BLOCKS: usize = LaunchConfig::most_blocks(THREADS);

impl QStorage {
    /// Dequantizes the weights to f32, f16 or bf16. In f32 they are bit for bit those of candle's CPU backend; half types are these values,
    /// rounded once.
    /// # Errors
    /// [`RocmError::UnsupportedDType`] for other dtypes.
    pub fn dequantize(&self, dtype: DType) -> Result<RocmStorage> {
        const OP: &str = "dequantize";
        let device = &self.device;
        let slice = each_16_or_32_bit_float!(dtype, T => match &*self.data {
            Data::Floats(slice) => cast::cast(device, slice, &Layout::contiguous(self.len()), dtype)?,
            Data::Blocks(blocks) => self.dequantize_as::<T>(blocks)?,
        }, else return Err(RocmError::UnsupportedDType { op: OP, dtype }));
        Ok(RocmStorage::new(slice, device.clone()))
    }

    fn dequantize_as<T: RocmDType>(&self, blocks: &Buffer<u8>) -> Result<RocmStorageSlice> {
        let (len, name) = (self.len(), self.conversion_name());
        let mut out = self.device.alloc::<T>(len)?;
        if len == 0 {
            return Ok(T::wrap(out));
        }
        let name = KernelName::new(format_args!("dequantize_block_{name}_{}", T::KERNEL_DTYPE));
        let count = len / self.kind.block_size();
        if self.kind.block_size() == 256 {
            // The grid says how many blocks of weights there are: so many per block of threads, and a launch for the rest.
            // As many as give each thread one granule.
            let granules = 256 / self.kind.granule();
            let per_block = THREADS / granules;
            let whole = count / per_block * per_block;
            let mut done = 0;
            while done < count {
                let (blocks_of_threads, y) = match (whole - done) / per_block {
                    0 => (count - done, 1),
                    many => (many.min(MOST_BLOCKS), per_block),
                };
                let config = LaunchConfig {
                    grid: [blocks_of_threads as u32, 1, 1],
                    block: [granules as u32, y as u32, 1],
                    shared_bytes: 0,
                };
                let mut launch = self.device.launch(self.kind.modules().conversions, name.as_str());
                launch.buffer(blocks, done * self.kind.type_size()).buffer_mut(&mut out, done * 256);
                // SAFETY: dequantize_block_*(blocks, out): grid x times block y blocks of 256 weights, which both have
                // from `done` on.
                unsafe { launch.run(config) }?;
                done += blocks_of_threads * y;
            }
            return Ok(T::wrap(out));
        }
        // Blocks of 32 weights, which kernels count in 32 bits, some of them by weights.
        let most = i32::MAX as usize / 32 / 256 * 256;
        for first in (0..count).step_by(most) {
            let part = most.min(count - first);
            let k = if matches!(self.kind, BlockType::Candle(G::Q5_0 | G::Q5_1)) { part * 32 } else { part }
                as i32;
            let mut launch = self.device.launch(self.kind.modules().conversions, name.as_str());
            launch.buffer(blocks, first * self.kind.type_size()).buffer_mut(&mut out, first * 32).arg(&k);
            // A thread takes 8 or 16 weights.
            let config = LaunchConfig::linear((part * 2).div_ceil(THREADS) as u32, THREADS as u32);
            // SAFETY: dequantize_block_*(blocks, out, k): `part` blocks of 32 weights, which both have from `first` on.
            unsafe { launch.run(config) }?;
        }
        Ok(T::wrap(out))
    }

    /// Dequantizes to f32 the rows selected by `ids` (contiguous u32 of any shape) of a matrix of `rows` rows and `columns` columns. An
    /// index out of range yields a row of zeros and is reported by the next call that waits for the device.
    ///
    /// # Errors
    /// [`RocmError::InvalidArgument`] if the shape does not match the weights, or `ids` is not contiguous u32.
    pub fn rows(
        &self,
        (rows, columns): (usize, usize),
        ids: &RocmStorage,
        layout: &Layout,
    ) -> Result<RocmStorage> {
        let op = IndexedOp::QuantizedRows;
        self.check_shape(op.name(), rows, columns)?;
        let (ids, count) = checked_ids(&self.device, op, ids, layout, rows)?;
        let mut out = self.device.alloc::<f32>(elem_count(op.name(), &[count, columns])?)?;
        let device = &self.device;
        let name = match self.kind {
            BlockType::Candle(G::F32) => "f32",
            BlockType::Candle(G::F16) => "f16",
            BlockType::Candle(G::BF16) => "bf16",
            _ => self.conversion_name(),
        };
        let name = KernelName::new(format_args!("get_rows_{name}"));
        let row_bytes = self.row_bytes(columns);
        // A thread takes 8 weights or more; rows are shared by as many blocks as that makes.
        let y = columns.div_ceil(8 * THREADS).clamp(1, 1 << 15) as u32;
        for first in (0..count).step_by(MOST_BLOCKS) {
            let part = MOST_BLOCKS.min(count - first);
            let mut launch = device.launch(self.kind.modules().conversions, name.as_str());
            match &*self.data {
                Data::Blocks(blocks) => launch.buffer(blocks, 0),
                Data::Floats(values) => launch.slice(values, 0),
            };
            launch.buffer(&ids, first).buffer_mut(&mut out, first * columns);
            launch.arg(&(columns as i64)).arg(&row_bytes);
            let config =
                LaunchConfig { grid: [part as u32, y, 1], block: [THREADS as u32, 1, 1], shared_bytes: 0 };
            // SAFETY: get_rows_*(src, ids, dst, columns, bytes of a row): an index per block x, each below `rows` or
            // marked, and a row of dst for each.
            unsafe { launch.run(config) }?;
        }
        Ok(RocmStorage::new(f32::wrap(out), device.clone()))
    }

    /// As the names of conversions spell the type.
    fn conversion_name(&self) -> &'static str {
        match self.kind {
            BlockType::Candle(G::Q8_1) => "q8_1",
            BlockType::Candle(G::Q8K) => "q8_K",
            kind => kernel_name(kind).unwrap_or_default(),
        }
    }
}

/// The indices with those marked that are not below `size`, and their number.
pub(super) fn checked_ids(
    device: &RocmDevice,
    op: IndexedOp,
    ids: &RocmStorage,
    layout: &Layout,
    size: usize,
) -> Result<(Buffer<u32>, usize)> {
    device.check_same(&ids.device, op.name())?;
    let Some(from) = u32::buffer(ids.slice()?) else {
        return invalid(op.name(), format!("expected u32 indices, got {}", ids.dtype().as_str()));
    };
    let offset =
        if layout.dims().is_empty() { layout.start_offset() } else { as_rows(op.name(), ids, layout)?.2 };
    let count = elem_count(op.name(), layout.dims())?;
    let mut checked = device.alloc::<u32>(count)?;
    let mut launch = device.launch(&QUANTIZED, "quantized_row_ids");
    launch.arg(&count).arg(&size).buffer(from, offset).buffer_mut(&mut checked, 0);
    launch.pointer(device.fault_slot(op)?);
    // SAFETY: quantized_row_ids(count, size, ids, out, fault): both have `count` elements.
    unsafe { launch.run(LaunchConfig::looping(count.div_ceil(THREADS), THREADS as u32)) }?;
    Ok((checked, count))
}
