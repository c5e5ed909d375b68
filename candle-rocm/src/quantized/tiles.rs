//! Products in tiles; launches `quantized_mat_mat.hip` and its like ([`super::modules`]).

use super::activations::{Order, quantized_vectors};
use super::algorithm::MOST_TILED;
use super::{PRODUCT, Product, invalid};
use crate::common::launch::KernelName;
use crate::count::elem_count;
use crate::error::Result;
use crate::hip::{Buffer, DevicePtr, LaunchConfig};
use crate::{RocmDevice, RocmStorage};

/// Threads of a block.
const THREADS: u32 = 256;

/// Rows and vectors of a block: large tiles where they keep most compute units busy and are mostly used. Vectors are those of so many
/// matrices.
pub(super) fn tile(device: &RocmDevice, rows: usize, vectors: usize, matrices: usize) -> (usize, usize) {
    let (high, wide) = if device.has_byte_matrix_cores() { matrix_tile(device) } else { (64, 64) };
    let tiles = rows.div_ceil(high) * vectors.div_ceil(wide);
    let busy = 4 * tiles >= 3 * device.hip_device().compute_units() as usize;
    if vectors / matrices > wide / 4 * 3 && busy { (high, wide) } else { (64, 32) }
}

/// The large ones of matrix cores.
fn matrix_tile(device: &RocmDevice) -> (usize, usize) {
    (if device.wavefront_size() == 64 { 64 } else { 128 }, 128)
}

/// Whether tiles of both a gate and what it gates are the fastest for so many vectors.
pub(super) fn gates_share_tiles(device: &RocmDevice, rows: usize, vectors: usize) -> bool {
    device.has_byte_matrix_cores() && tile(device, rows.saturating_mul(2), vectors, 1) == matrix_tile(device)
}

/// Vectors that are quantized for tiles.
pub(crate) struct TiledVectors {
    blocks: Buffer<u8>,
    vectors: usize,
    columns: usize,
}

impl TiledVectors {
    /// Of so many vectors and columns, those of x from `offset` on, in any float type.
    ///
    /// # Errors
    /// [`RocmError::InvalidArgument`](crate::RocmError::InvalidArgument) for more columns than [`MOST_TILED`].
    pub(crate) fn new(x: (&RocmStorage, usize), (vectors, columns): (usize, usize)) -> Result<Self> {
        if columns > MOST_TILED {
            let message = format!("{columns} columns; Algorithm::Tiles takes {MOST_TILED} at most");
            return invalid(PRODUCT, message);
        }
        let blocks = quantized_vectors(&x.0.device, x, (vectors, columns), Order::BySteps)?;
        Ok(Self { blocks, vectors, columns })
    }
}

/// What becomes of products before they are written.
#[derive(Clone, Copy, Default)]
pub(crate) struct TileEpilogue {
    /// Where the f32 begin that are added, and their stride from vector to vector, 0 for a bias.
    pub(crate) addend: Option<(DevicePtr, usize)>,
    /// A number of `common/activations.h`; 0 is none.
    pub(crate) activation: u32,
}

impl Product<'_> {
    /// A row of results for each vector.
    pub(crate) fn tiles(&self, x: &TiledVectors, epilogue: TileEpilogue) -> Result<Buffer<f32>> {
        let &TiledVectors { ref blocks, vectors, columns } = x;
        let tile = tile(self.device, self.rows, vectors, 1);
        let mut out = self.device.alloc::<f32>(elem_count(PRODUCT, &[vectors, self.rows])?)?;
        let name = KernelName::new(format_args!("tiles_{}_{}", self.name, tile.1));
        let mut launch = self.device.launch(self.kind.modules().mat_mat, name.as_str());
        launch.buffer(self.blocks, 0).buffer(blocks, 0).buffer_mut(&mut out, 0);
        launch.arg(&(columns as u32)).arg(&(self.rows as u32)).arg(&(vectors as u32));
        let (addend, stride) = epilogue.addend.unwrap_or((DevicePtr::NULL, 0));
        launch.pointer(addend).arg(&(stride as u32)).arg(&epilogue.activation);
        // SAFETY: tiles_*_*(blocks, x, out, columns, rows, vectors, addend, its stride, activation): the blocks are rows x columns weights,
        // x and out have that many vectors, and what is added is null or has `rows` values for each of them, at that distance.
        unsafe { launch.run(config(self.rows, vectors, tile)) }?;
        Ok(out)
    }

    /// The silu of these products times those with another matrix of the same shape and type.
    pub(crate) fn tiles_silu_mul(&self, up: &Self, x: &TiledVectors) -> Result<Buffer<f32>> {
        let &TiledVectors { ref blocks, vectors, columns } = x;
        let (high, wide) = matrix_tile(self.device);
        let mut out = self.device.alloc::<f32>(elem_count(PRODUCT, &[vectors, self.rows])?)?;
        let name = KernelName::new(format_args!("tiles_silu_mul_{}_{wide}", self.name));
        let mut launch = self.device.launch(self.kind.modules().mat_mat, name.as_str());
        launch.buffer(self.blocks, 0).buffer(up.blocks, 0).buffer(blocks, 0).buffer_mut(&mut out, 0);
        launch.arg(&(columns as u32)).arg(&(self.rows as u32)).arg(&(vectors as u32));
        // SAFETY: tiles_silu_mul_*_*(gate, up, x, out, columns, rows, vectors): blocks of both are rows x columns weights, x and out have
        // that many vectors.
        unsafe { launch.run(config(self.rows, vectors, (high / 2, wide))) }?;
        Ok(out)
    }
}

fn config(rows: usize, vectors: usize, (high, wide): (usize, usize)) -> LaunchConfig {
    let grid = [rows.div_ceil(high).min(1 << 22) as u32, vectors.div_ceil(wide).min(1 << 15) as u32, 1];
    LaunchConfig { grid, block: [THREADS, 1, 1], shared_bytes: 0 }
}
