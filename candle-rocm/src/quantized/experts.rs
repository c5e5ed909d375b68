//! Mixtures of experts: a matrix per expert, and for each vector the experts that compute with it.

use candle_core::backend::BackendStorage;
use candle_core::{DType, Layout};
use rocm_kernels::QUANTIZED_MAT_VEC;

use super::dequantize::checked_ids;
use super::product::{quantized_vectors, team_config};
use super::{Data, QStorage, as_rows, invalid, kernel_name};
use crate::common::launch::KernelName;
use crate::count::elem_count;
use crate::device::IndexedOp;
use crate::dtype::DTypeExt;
use crate::elementwise::cast;
use crate::error::{Result, RocmError};
use crate::{RocmDType, RocmStorage};

/// Tokens, and experts of a token: the grid's y and z.
const MOST: usize = 1 << 15;

impl QStorage {
    /// candle's `indexed_moe_forward`: for each token, and each expert that `ids` names for it, the product of the token's vector with
    /// that expert's matrix.
    ///
    /// These weights are `[experts, n, k]`; x is `[tokens, 1 or topk, k]` in f32, f16 or bf16, ids is `[tokens, topk]` in u32, both
    /// contiguous. The result is `[tokens, topk, n]` in x's dtype. An index out of range gives zeros and is reported by the next call that
    /// waits for the device.
    ///
    /// # Errors
    /// [`RocmError::UnsupportedDType`] for other dtypes; otherwise if shapes or devices do not fit, or an operand is not contiguous.
    pub fn experts_forward(
        &self,
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
        let (Some(name), Data::Blocks(blocks)) = (kernel_name(self.kind), &*self.data) else {
            return self.experts_dequantized((experts, n, k), (x, x_l), ids, (tokens, topk));
        };
        let x = quantized_vectors(&self.device, x, offset, vectors, k)?;
        let mut out = self.device.alloc::<f32>(outputs)?;
        let name = KernelName::new(format_args!("experts_{name}"));
        let mut launch = self.device.launch(&QUANTIZED_MAT_VEC, name.as_str());
        launch.buffer(blocks, 0).buffer(&x, 0).buffer(&ids, 0).buffer_mut(&mut out, 0);
        for size in [n, k, tokens, topk, per_token] {
            launch.arg(&(size as u32));
        }
        let mut config = team_config(&self.device, self.kind, n, k);
        (config.grid[1], config.grid[2]) = (tokens.min(MOST) as u32, topk.min(MOST) as u32);
        // SAFETY: experts_*(blocks, x, ids, out, n, k, tokens, topk, vectors per token): the blocks are `experts` matrices of n x k
        // weights, each index is below `experts` or marked, out has n elements per index.
        unsafe { launch.run(config) }?;
        let out = f32::wrap(out);
        let slice = if dtype == DType::F32 {
            out
        } else {
            cast::cast(&self.device, &out, &Layout::contiguous(tasks * n), dtype)?
        };
        Ok(RocmStorage::new(slice, self.device.clone()))
    }

    /// Types without kernels: the experts' matrices as floats, those that are needed gathered.
    fn experts_dequantized(
        &self,
        (experts, n, k): (usize, usize, usize),
        (x, x_l): (&RocmStorage, &Layout),
        ids: crate::hip::Buffer<u32>,
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
