//! Mixtures of experts: a matrix per expert, and for each vector the experts that compute with it. Launches `quantized_mat_vec.hip` and,
//! for many vectors, `quantized_experts.hip`.

use candle_core::backend::BackendStorage;
use candle_core::{DType, Layout};

use super::activations::{Order, quantized_vectors};
use super::dequantize::checked_ids;
use super::expert_sizes::Sizes;
use super::product::team_config;
use super::tiles::tile;
use super::{Algorithm, Data, QStorage, as_rows, expert_candidates, invalid, kernel_name};
use crate::common::launch::KernelName;
use crate::count::elem_count;
use crate::device::IndexedOp;
use crate::dtype::DTypeExt;
use crate::elementwise::cast;
use crate::error::{Result, RocmError};
use crate::hip::{Buffer, LaunchConfig};
use crate::indexing::ExpertTiles;
use crate::{RocmDType, RocmStorage};

/// Tokens, and experts of a token: the grid's y and z.
const MOST: usize = 1 << 15;
/// Products per expert from which on tiles pay: below, reading the weights is what takes the time.
const MANY: usize = 8;
/// The same where matrix cores multiply bytes as fast as half types, so that tiles cost little more than reading the weights once, while
/// each product by itself reads them again. For four products with large matrices, the model of time predicts less than a third of the
/// time on a 7900 XTX. On an MI300X it is 0.5 to 0.6 of the time; for the shapes that were predicted there, tuning ships that.
const MANY_ON_FAST_CORES: usize = 4;

/// Tiles along a matrix's rows, each of which reads the vectors, from which on it pays to write a vector once for each product.
const MANY_TILES: usize = 16;
/// Bytes of activations above which it is not done.
const MOST_LISTED: usize = 1 << 28;

impl QStorage {
    /// Computes candle's `indexed_moe_forward`: for each token, and each expert that `ids` selects for it, the product of the token's
    /// vector with the expert's matrix.
    ///
    /// These weights are `[experts, n, k]`, x is `[tokens, 1 or topk, k]` in f32, f16 or bf16, and ids is `[tokens, topk]` in u32; x and
    /// ids are contiguous. The result is `[tokens, topk, n]` in the dtype of x. An index out of range yields zeros and is reported by the
    /// next call that waits for the device.
    ///
    /// # Errors
    /// [`RocmError::UnsupportedDType`] for other dtypes; otherwise if shapes or devices do not match, or an operand is not contiguous.
    pub fn experts_forward(
        &self,
        shape: (usize, usize, usize),
        x: (&RocmStorage, &Layout),
        ids: (&RocmStorage, &Layout),
    ) -> Result<RocmStorage> {
        self.experts_forward_by(None, shape, x, ids)
    }

    /// [`QStorage::experts_forward`] with [`Algorithm::Vectors`], [`Algorithm::Tiles`] or [`Algorithm::Dequantized`]. The first two
    /// quantize the vectors and compute the same sums.
    ///
    /// # Errors
    /// As [`QStorage::experts_forward`], and [`RocmError::InvalidArgument`] for any other algorithm, or if the algorithm does not support
    /// these operands: [`Algorithm::Tiles`] supports up to 1023 experts.
    pub fn experts_forward_with(
        &self,
        algorithm: Algorithm,
        shape: (usize, usize, usize),
        x: (&RocmStorage, &Layout),
        ids: (&RocmStorage, &Layout),
    ) -> Result<RocmStorage> {
        self.experts_forward_by(Some(algorithm), shape, x, ids)
    }

    fn experts_forward_by(
        &self,
        algorithm: Option<Algorithm>,
        (experts, n, k): (usize, usize, usize),
        (x, x_l): (&RocmStorage, &Layout),
        (ids, ids_l): (&RocmStorage, &Layout),
    ) -> Result<RocmStorage> {
        let op = IndexedOp::Experts;
        self.device.check_same(&x.device, op.name())?;
        let Some(rows) = experts.checked_mul(n) else {
            return invalid(op.name(), format!("{experts} matrices [{n}, {k}] have too many elements"));
        };
        self.check_shape(op.name(), rows, k)?;
        let dtype = x.dtype();
        if !dtype.is_16_or_32_bit_float() {
            return Err(RocmError::UnsupportedDType { op: op.name(), dtype });
        }
        let (&[tokens, topk], &[x_tokens, per_token, x_k]) = (ids_l.dims(), x_l.dims()) else {
            return invalid(
                op.name(),
                format!(
                    "expected an input (tokens, 1 or topk, {k}) and indices (tokens, topk), got {:?} and {:?}",
                    x_l.dims(),
                    ids_l.dims()
                ),
            );
        };
        if x_tokens != tokens || (per_token != 1 && per_token != topk) || x_k != k {
            return Err(RocmError::ShapeMismatch {
                op: op.name(),
                lhs: x_l.dims().to_vec(),
                rhs: ids_l.dims().to_vec(),
            });
        }
        let (vectors, _, offset) = as_rows(op.name(), x, x_l)?;
        let (ids, tasks) = checked_ids(&self.device, op, ids, ids_l, experts)?;
        let outputs = elem_count(op.name(), &[tasks, n])?;
        if outputs == 0 || k == 0 {
            return RocmStorage::zeros(&self.device, outputs, dtype);
        }
        let sizes = Sizes { experts, n, k, tokens, topk, per_token };
        let rule = self.experts_algorithm(sizes);
        let (Some(name), Data::Blocks(blocks)) = (kernel_name(self.kind), &*self.data) else {
            let algorithm = algorithm.unwrap_or(rule);
            if algorithm != Algorithm::Dequantized {
                let kind = self.kind;
                return invalid(
                    op.name(),
                    format!("{kind} weights have no kernel for {algorithm:?}; use Algorithm::Dequantized"),
                );
            }
            return self.experts_dequantized((experts, n, k), (x, x_l), ids, (tokens, topk));
        };
        let by = |algorithm| match algorithm {
            Algorithm::Vectors => {
                let x = quantized_vectors(&self.device, (x, offset), (vectors, k), Order::ByVector)?;
                self.experts_by_vectors(sizes, name, blocks, &x, &ids)
            }
            Algorithm::Tiles if sizes.fit_tiles() => {
                self.experts_by_tiles(sizes, name, blocks, (x, offset), &ids)
            }
            _ => {
                let message = format!("{algorithm:?} does not take {experts} experts and {tasks} products");
                invalid(op.name(), message)
            }
        };
        let out = match algorithm {
            Some(Algorithm::Dequantized) => {
                return self.experts_dequantized((experts, n, k), (x, x_l), ids, (tokens, topk));
            }
            Some(algorithm) => by(algorithm)?,
            None => expert_candidates::serve(self, sizes, rule, by)?,
        };
        let out = f32::wrap(out);
        let slice = if dtype == DType::F32 {
            out
        } else {
            cast::cast(&self.device, &out, &Layout::contiguous(tasks * n), dtype)?
        };
        Ok(RocmStorage::new(slice, self.device.clone()))
    }

    /// The [`Algorithm`] that is expected to be the fastest.
    fn experts_algorithm(&self, sizes: Sizes) -> Algorithm {
        let many = if self.device.has_fast_byte_matrix_cores() { MANY_ON_FAST_CORES } else { MANY };
        let many = sizes.tasks() >= sizes.experts.saturating_mul(many);
        match () {
            () if kernel_name(self.kind).is_none() => Algorithm::Dequantized,
            () if many && sizes.fit_tiles() && !self.device.has_slow_barriers() => Algorithm::Tiles,
            () => Algorithm::Vectors,
        }
    }

    /// Each product by itself.
    fn experts_by_vectors(
        &self,
        sizes: Sizes,
        name: &str,
        blocks: &Buffer<u8>,
        x: &Buffer<u8>,
        ids: &Buffer<u32>,
    ) -> Result<Buffer<f32>> {
        let Sizes { n, k, tokens, topk, per_token, .. } = sizes;
        let mut out = self.device.alloc::<f32>(sizes.tasks() * n)?;
        let name = KernelName::new(format_args!("experts_{name}"));
        let mut launch = self.device.launch(self.kind.modules().mat_vec, name.as_str());
        launch.buffer(blocks, 0).buffer(x, 0).buffer(ids, 0).buffer_mut(&mut out, 0);
        for size in [n, k, tokens, topk, per_token] {
            launch.arg(&(size as u32));
        }
        let mut config = team_config(&self.device, self.kind, n, k);
        (config.grid[1], config.grid[2]) = (tokens.min(MOST) as u32, topk.min(MOST) as u32);
        // SAFETY: experts_*(blocks, x, ids, out, n, k, tokens, topk, vectors per token): the blocks are `experts` matrices of n x k
        // weights, each index is below `experts` or marked, out has n elements per index.
        unsafe { launch.run(config) }?;
        Ok(out)
    }

    /// Products with one expert's matrix together.
    fn experts_by_tiles(
        &self,
        sizes: Sizes,
        name: &str,
        blocks: &Buffer<u8>,
        x: (&RocmStorage, usize),
        ids: &Buffer<u32>,
    ) -> Result<Buffer<f32>> {
        let (n, tasks) = (sizes.n, sizes.tasks());
        let (high, wide) = tile(&self.device, n, tasks, sizes.experts);
        let grouped = ExpertTiles::new(&self.device, (ids, 0), None, (tasks, sizes.experts), wide)?;
        // A vector for each product, so that those of a tile lie together, where they are read often.
        let is_listed =
            sizes.per_vector() == 1 || n >= MANY_TILES * high && tasks.saturating_mul(sizes.k) <= MOST_LISTED;
        let (order, count, per_vector) = match is_listed {
            true => (Order::Listed(&grouped.order, sizes.per_vector()), tasks, 0),
            false => (Order::BySteps, tasks / sizes.per_vector(), sizes.per_vector()),
        };
        let vectors = quantized_vectors(&self.device, x, (count, sizes.k), order)?;
        let mut out = self.device.alloc::<f32>(tasks * n)?;
        let name = KernelName::new(format_args!("expert_tiles_{name}_{wide}"));
        let mut launch = self.device.launch(self.kind.modules().experts, name.as_str());
        launch.buffer(blocks, 0).buffer(&vectors, 0).buffer(&grouped.order, 0).buffer(&grouped.tiles, 0);
        launch.buffer_mut(&mut out, 0);
        for size in [sizes.k, n, sizes.experts, count, per_vector, grouped.count] {
            launch.arg(&(size as u32));
        }
        let grid = [n.div_ceil(high).min(1 << 22) as u32, grouped.count.min(MOST) as u32, 1];
        // SAFETY: expert_tiles_*_*(blocks, x, order, tiles, out, columns, rows, experts, vectors, products of a vector or 0, tiles): the
        // blocks are `experts` matrices of n x k weights, order has each product once, x has `count` vectors by steps, more than any entry
        // divided by the products of a vector, and out n elements for each product.
        unsafe { launch.run(LaunchConfig { grid, block: [256, 1, 1], shared_bytes: 0 }) }?;
        Ok(out)
    }

    /// Types without kernels: the experts' matrices as floats, those that are needed gathered.
    fn experts_dequantized(
        &self,
        (experts, n, k): (usize, usize, usize),
        (x, x_l): (&RocmStorage, &Layout),
        ids: Buffer<u32>,
        (tokens, topk): (usize, usize),
    ) -> Result<RocmStorage> {
        let tasks = tokens * topk;
        let dtype = x.dtype();
        let ids = RocmStorage::new(u32::wrap(ids), self.device.clone());
        let run = || -> candle_core::Result<RocmStorage> {
            let weights = self.dequantize(DType::F32)?;
            let all = Layout::contiguous((experts, n * k));
            let chosen = weights.index_select(&ids, &all, &Layout::contiguous(tasks), 0)?;
            // A vector for each index.
            let wide = x.to_dtype(x_l, DType::F32)?;
            let mut each = RocmStorage::uninit(
                &self.device,
                elem_count(IndexedOp::Experts.name(), &[tasks, k])?,
                DType::F32,
            )?;
            let spread = Layout::contiguous((tokens, x_l.dims()[1], k)).broadcast_as((tokens, topk, k))?;
            wide.copy_strided_src(&mut each, 0, &spread)?;
            let transposed = Layout::contiguous((tasks, n, k)).transpose(1, 2)?;
            let product =
                each.matmul(&chosen, (tasks, 1, n, k), &Layout::contiguous((tasks, 1, k)), &transposed)?;
            product.to_dtype(&Layout::contiguous(tasks * n), dtype)
        };
        run().map_err(|error| RocmError::from_candle(IndexedOp::Experts.name(), error))
    }
}
