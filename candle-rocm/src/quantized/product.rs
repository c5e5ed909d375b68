//! Products with quantized matrices; launches `quantized_mat_vec.hip` and its like ([`super::modules`]).

use candle_core::backend::BackendStorage;
use candle_core::quantized::GgmlDType as G;
use candle_core::{DType, Layout};
use half::bf16;

use super::activations::{Order, q8_bytes, quantized_vectors};
use super::algorithm::Algorithm;
use super::blocks::Product;
use super::tiles::{TileEpilogue, TiledVectors};
use super::{BlockType, MOST, PRODUCT, QStorage, as_rows, invalid};
use crate::common::launch::KernelName;
use crate::count::elem_count;
use crate::dtype::DTypeExt;
use crate::elementwise::cast;
use crate::error::{Result, RocmError};
use crate::hip::{Buffer, LaunchConfig};
use crate::matmul::{GemmShape, Matrix, gemm};
use crate::{RocmDType, RocmDevice, RocmStorage, RocmStorageSlice};

/// Vectors per launch of [`Algorithm::Vectors`].
const AT_ONCE: usize = 8;

impl QStorage {
    /// [`QStorage::forward`] with a given algorithm.
    ///
    /// # Errors
    /// [`RocmError::InvalidArgument`] if the algorithm does not support these operands: [`Algorithm::Exact`] takes one vector,
    /// [`Algorithm::Streamed`] requires columns that are a multiple of 64, and only [`Algorithm::Dequantized`] supports Q8_1 and Q8K;
    /// otherwise if the dtype, shape, layout or device of x does not match.
    pub fn forward_with(
        &self,
        algorithm: Algorithm,
        shape: (usize, usize),
        x: &RocmStorage,
        layout: &Layout,
    ) -> Result<RocmStorage> {
        self.forward_by(algorithm, None, shape, (x, layout))
    }

    /// [`QStorage::forward_with`], where [`Algorithm::Streamed`] is launched in blocks of so many threads.
    pub(super) fn forward_by(
        &self,
        algorithm: Algorithm,
        threads: Option<usize>,
        (rows, columns): (usize, usize),
        (x, layout): (&RocmStorage, &Layout),
    ) -> Result<RocmStorage> {
        self.device.check_same(&x.device, PRODUCT)?;
        self.check_shape(PRODUCT, rows, columns)?;
        let dtype = x.dtype();
        if !dtype.is_16_or_32_bit_float() {
            return Err(RocmError::UnsupportedDType { op: PRODUCT, dtype });
        }
        let (vectors, length, offset) = as_rows(PRODUCT, x, layout)?;
        if length != columns {
            return Err(RocmError::ShapeMismatch {
                op: PRODUCT,
                lhs: layout.dims().to_vec(),
                rhs: vec![rows, columns],
            });
        }
        if vectors > MOST {
            return invalid(PRODUCT, format!("{vectors} vectors exceed the kernel's limit of {MOST}"));
        }
        // From here on `vectors * rows` is known to fit.
        let outputs = elem_count(PRODUCT, &[vectors, rows])?;
        if outputs == 0 || columns == 0 {
            return RocmStorage::zeros(&self.device, outputs, dtype);
        }
        match algorithm {
            Algorithm::Half if dtype == DType::F32 => {
                return self.forward_half((vectors, rows, columns), x, offset);
            }
            Algorithm::Half | Algorithm::Dequantized => {
                return self.forward_dequantized((vectors, rows, columns), x, offset);
            }
            _ => {}
        }
        let Some(product) = self.product((rows, columns)) else {
            return invalid(
                PRODUCT,
                format!(
                    "{} weights have no kernel for this algorithm; use Algorithm::Dequantized",
                    self.kind
                ),
            );
        };
        let out = match algorithm {
            Algorithm::Exact if vectors > 1 => {
                return invalid(PRODUCT, format!("{vectors} vectors; Algorithm::Exact takes one"));
            }
            Algorithm::Streamed => {
                let at = x.slice()?.address().byte_add(offset * dtype.size_in_bytes());
                return match product.streamed(at, dtype, vectors, threads)? {
                    Some(slice) => Ok(RocmStorage::new(slice, self.device.clone())),
                    None => invalid(
                        PRODUCT,
                        format!(
                            "{columns} columns; Algorithm::Streamed takes multiples of 64 up to about 40,000"
                        ),
                    ),
                };
            }
            Algorithm::Exact if dtype == DType::F32 => product.exact(same::<f32>(x.slice()?)?, offset)?,
            Algorithm::Exact => {
                let wide = cast::cast(&self.device, x.slice()?, layout, DType::F32)?;
                product
                    .exact(f32::buffer(&wide).ok_or(RocmError::UnsupportedDType { op: PRODUCT, dtype })?, 0)?
            }
            Algorithm::Tiles => {
                let x = TiledVectors::new((x, offset), (vectors, columns))?;
                product.tiles(&x, TileEpilogue::default())?
            }
            _ => {
                let of = (vectors, columns);
                let x = quantized_vectors(&self.device, (x, offset), of, Order::ByVector)?;
                product.vectors(&x, vectors)?
            }
        };
        let out = f32::wrap(out);
        let slice = if dtype == DType::F32 {
            out
        } else {
            cast::cast(&self.device, &out, &Layout::contiguous(vectors * rows), dtype)?
        };
        Ok(RocmStorage::new(slice, self.device.clone()))
    }

    /// With f32 vectors, which are rounded to bf16.
    fn forward_half(
        &self,
        (vectors, rows, columns): (usize, usize, usize),
        x: &RocmStorage,
        offset: usize,
    ) -> Result<RocmStorage> {
        let device = &self.device;
        let layout = Layout::contiguous_with_offset((vectors, columns), offset);
        let (x, weights) =
            (cast::cast(device, x.slice()?, &layout, DType::BF16)?, self.dequantize(DType::BF16)?);
        let halves = (same::<bf16>(&x)?, same::<bf16>(weights.slice()?)?);
        let shape = GemmShape { batch: 1, m: vectors, n: rows, k: columns };
        let (at_x, at_out) = (Matrix::row_major(0, vectors, columns), Matrix::row_major(0, vectors, rows));
        let at_weights = Matrix::row_major(0, rows, columns).transposed();
        let mut out = device.alloc::<f32>(vectors * rows)?;
        gemm(device, PRODUCT, shape, (halves.0, at_x), (halves.1, at_weights), (&mut out, at_out))?;
        Ok(RocmStorage::new(f32::wrap(out), device.clone()))
    }

    fn forward_dequantized(
        &self,
        (vectors, rows, columns): (usize, usize, usize),
        x: &RocmStorage,
        offset: usize,
    ) -> Result<RocmStorage> {
        let dtype = x.dtype();
        let x_l = Layout::contiguous_with_offset((vectors, columns), offset);
        let transposed = Layout::new((columns, rows).into(), vec![1, columns], 0);
        let shape = (1, vectors, rows, columns);
        let candle = |result: candle_core::Result<RocmStorage>| {
            result.map_err(|error| RocmError::from_candle(PRODUCT, error))
        };
        // Floats that f16 may not hold are multiplied in f32.
        if matches!(self.kind, BlockType::Candle(G::F32 | G::BF16)) && dtype == DType::F16 {
            let wide = x.with(cast::cast(&self.device, x.slice()?, &x_l, DType::F32)?);
            let product = candle(wide.matmul(
                &self.dequantize(DType::F32)?,
                shape,
                &Layout::contiguous((vectors, columns)),
                &transposed,
            ))?;
            let slice =
                cast::cast(&self.device, product.slice()?, &Layout::contiguous(vectors * rows), dtype)?;
            return Ok(RocmStorage::new(slice, self.device.clone()));
        }
        candle(x.matmul(&self.dequantize(dtype)?, shape, &x_l, &transposed))
    }
}

fn same<T: RocmDType>(x: &RocmStorageSlice) -> Result<&Buffer<T>> {
    crate::common::map::same(PRODUCT, x)
}

/// How kernels of `quantized_mat_vec.hip` are launched for a matrix.
pub(super) fn team_config(device: &RocmDevice, kind: BlockType, rows: usize, columns: usize) -> LaunchConfig {
    /// Rows of a team.
    const ROWS: usize = 4;
    const THREADS: u32 = 256;
    let wave = device.wavefront_size();
    let (granules, groups) = (columns / kind.granule(), rows.div_ceil(ROWS));
    if device.has_slow_barriers() {
        // Exchanging costs more than the rest there; a thread per team, and blocks enough for all cores.
        return LaunchConfig { grid: [groups.div_ceil(8) as u32, 1, 1], block: [1, 8, 1], shared_bytes: 0 };
    }
    // Two granules or more for each thread of a wave. Few long rows are shared by whole blocks, until all compute units
    // have enough to do.
    let mut size = (granules / 2).next_power_of_two().clamp(8, wave as usize) as u32;
    let enough = device.hip_device().compute_units() as usize * 1024;
    while size >= wave && size < THREADS && groups * (size as usize) < enough && granules >= 4 * size as usize
    {
        size *= 2;
    }
    let teams = if size > wave { 1 } else { THREADS / size };
    let config = LaunchConfig::looping(groups.div_ceil(teams as usize), THREADS);
    LaunchConfig { block: [size, teams, 1], ..config }
}

impl Product<'_> {
    fn exact(&self, x: &Buffer<f32>, offset: usize) -> Result<Buffer<f32>> {
        let mut out = self.device.alloc::<f32>(self.rows)?;
        // These kernels' names spell the K types with a small k, and end in _cuda for the others.
        let (kind, end) = self.name.strip_suffix('K').map_or((self.name, "_cuda"), |kind| (kind, "k"));
        let name = KernelName::new(format_args!("dequantize_mul_mat_vec_{kind}{end}"));
        let mut config = team_config(self.device, self.kind, self.rows, self.columns);
        let mut launch = self.device.launch(self.kind.modules().mat_vec, name.as_str());
        launch.buffer(self.blocks, 0).buffer(x, offset).buffer_mut(&mut out, 0).arg(&(self.columns as i32));
        if self.kind == BlockType::Candle(G::Q5K) {
            // This one takes the number of rows from the grid.
            if self.rows > 1 << 22 {
                return invalid(
                    PRODUCT,
                    format!("{} rows of Q5K; Algorithm::Exact takes {} at most", self.rows, 1 << 22),
                );
            }
            config.grid[0] = self.rows as u32;
        } else {
            launch.arg(&(self.rows as i32));
        }
        // SAFETY: dequantize_mul_mat_vec_*(blocks, x, out, columns[, rows]): the blocks are rows x columns weights, x has
        // `columns` elements from the offset on, out has `rows`.
        unsafe { launch.run(config) }?;
        Ok(out)
    }

    fn vectors(&self, x: &Buffer<u8>, vectors: usize) -> Result<Buffer<f32>> {
        let mut out = self.device.alloc::<f32>(vectors * self.rows)?;
        let config = team_config(self.device, self.kind, self.rows, self.columns);
        let launches = vectors.div_ceil(AT_ONCE);
        let mut first = 0;
        for left in (1..=launches).rev() {
            // As even as possible: 9 vectors are 5 and 4.
            let part = (vectors - first).div_ceil(left);
            let name = KernelName::new(format_args!("vectors_{}_{part}", self.name));
            let mut launch = self.device.launch(self.kind.modules().mat_vec, name.as_str());
            launch.buffer(self.blocks, 0).buffer(x, first * q8_bytes(self.columns));
            launch.buffer_mut(&mut out, first * self.rows);
            launch.arg(&(self.columns as u32)).arg(&(self.rows as u32));
            // SAFETY: vectors_*_<part>(blocks, x, out, columns, rows): the blocks are rows x columns weights, x and out have `part`
            // vectors from `first` on.
            unsafe { launch.run(config) }?;
            first += part;
        }
        Ok(out)
    }
}
