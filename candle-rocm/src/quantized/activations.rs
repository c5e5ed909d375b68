//! Activations that are quantized to 8 bits; launches `quantized.hip`.

use candle_core::DType;
use half::{bf16, f16};
use rocm_kernels::QUANTIZED;

use super::PRODUCT;
use crate::common::map::same;
use crate::count::elem_count;
use crate::error::Result;
use crate::hip::{Buffer, LaunchConfig};
use crate::{RocmDevice, RocmStorage};

/// Activations of a block, which share a scale.
const BLOCK: usize = 32;
/// Bytes of a block: the scale in f32, and signed bytes.
const BLOCK_BYTES: usize = size_of::<f32>() + BLOCK;
/// Of two blocks, a step of tiles.
pub(super) const STEP_BYTES: usize = 2 * BLOCK_BYTES;

/// The order of blocks.
#[derive(Clone, Copy)]
pub(super) enum Order<'l> {
    /// All of a vector, and then those of the next one.
    ByVector,
    /// Two of each vector, and then the next two: tiles read these together.
    BySteps,
    /// The same of the vectors that a list names: its numbers, divided by this one.
    Listed(&'l Buffer<u32>, usize),
}

/// Bytes of so many activations.
pub(super) fn q8_bytes(len: usize) -> usize {
    len / BLOCK * BLOCK_BYTES
}

/// Rows of `columns` activations, a multiple of 32, quantized: `vectors` of them, those of x from `offset` on or those that are listed.
pub(super) fn quantized_vectors(
    device: &RocmDevice,
    (x, offset): (&RocmStorage, usize),
    (vectors, columns): (usize, usize),
    order: Order<'_>,
) -> Result<Buffer<u8>> {
    /// Rows of a launch, the grid's y.
    const MOST_ROWS: usize = 1 << 15;
    const THREADS: usize = 64;
    // Bytes of a vector, from one vector to the next, and from two blocks of a vector to its next two.
    let (bytes, row_bytes, pair_bytes) = match order {
        Order::ByVector => (q8_bytes(columns), q8_bytes(columns), STEP_BYTES),
        Order::BySteps | Order::Listed(..) => {
            (columns.div_ceil(2 * BLOCK) * STEP_BYTES, STEP_BYTES, vectors * STEP_BYTES)
        }
    };
    let (list, per_vector) = match order {
        Order::Listed(list, per_vector) => (Some(list), per_vector),
        Order::ByVector | Order::BySteps => (None, 1),
    };
    let mut out = device.alloc::<u8>(elem_count(PRODUCT, &[vectors, bytes])?)?;
    let name = match x.dtype() {
        DType::F16 => "quantize_q8_f16",
        DType::BF16 => "quantize_q8_bf16",
        _ => "quantize_q8_f32",
    };
    for first in (0..vectors).step_by(MOST_ROWS) {
        let part = MOST_ROWS.min(vectors - first);
        let mut launch = device.launch(&QUANTIZED, name);
        // A list names vectors of the whole x.
        let at = if list.is_some() { offset } else { offset + first * columns };
        match x.dtype() {
            DType::F16 => launch.buffer(same::<f16>(PRODUCT, x.slice()?)?, at),
            DType::BF16 => launch.buffer(same::<bf16>(PRODUCT, x.slice()?)?, at),
            _ => launch.buffer(same::<f32>(PRODUCT, x.slice()?)?, at),
        };
        match list {
            Some(list) => launch.buffer(list, first),
            None => launch.null(),
        };
        launch.buffer_mut(&mut out, first * row_bytes).arg(&(columns as u32)).arg(&(per_vector as u32));
        launch.arg(&(row_bytes as u32)).arg(&(pair_bytes as u64));
        let blocks = (columns / BLOCK).div_ceil(THREADS) as u32;
        let config =
            LaunchConfig { grid: [blocks, part as u32, 1], block: [THREADS as u32, 1, 1], shared_bytes: 0 };
        // SAFETY: quantize_q8_*(x, list, out, columns, products of a vector, bytes from row to row, from pair to pair): a row per grid y,
        // which the list, or x, and out have from `first` on; x has the vectors that are listed.
        unsafe { launch.run(config) }?;
    }
    Ok(out)
}
