//! Products with experts' matrices of floats: of those that are no longer quantized.

use super::{offer, FusedOp};
use crate::{DType, Result, Tensor};

/// Elements of experts' matrices that are gathered at once, a matrix for each token's expert.
const GATHERED: usize = 1 << 26;

/// Each token's products with the experts that `ids` names, see `QTensor::indexed_moe_forward`: weights `[experts, n, k]`, x `[tokens,
/// 1 or topk, k]` and ids `[tokens, topk]` give `[tokens, topk, n]` in x's dtype.
pub(crate) fn experts(weights: &Tensor, x: &Tensor, ids: &Tensor) -> Result<Tensor> {
    let ((count, n, k), (tokens, per_token, width), (rows, topk)) =
        (weights.dims3()?, x.dims3()?, ids.dims2()?);
    if width != k || rows != tokens || (per_token != 1 && per_token != topk) {
        crate::bail!(
            "indexed_moe_forward: expected an input (tokens, 1 or topk, {k}) and indices (tokens, topk), got {:?} and {:?}",
            x.dims(),
            ids.dims()
        )
    }
    let dtype = x.dtype();
    if [tokens, topk, n, k].contains(&0) {
        return Tensor::zeros((tokens, topk, n), dtype, x.device());
    }
    let (x, ids) = (x.to_dtype(weights.dtype())?, ids.to_dtype(DType::U32)?.contiguous()?);
    let product = match sorted(weights, &x, &ids, (count, topk / per_token))? {
        Some(product) => product,
        None => gathered(weights, &x, &ids)?,
    };
    product.reshape((tokens, topk, n))?.to_dtype(dtype)
}

/// By the backend's kernel for a mixture of experts, which has no gradient here. Weights are read where they are.
fn sorted(
    weights: &Tensor,
    x: &Tensor,
    ids: &Tensor,
    (count, topk): (usize, usize),
) -> Result<Option<Tensor>> {
    if weights.track_op() || x.track_op() || ![weights, x, ids].iter().all(|t| t.device().is_rocm()) {
        return Ok(None);
    }
    let k = x.dim(2)?;
    let ids = ids.flatten_all()?;
    // The kernel leaves out an expert that there is not; here that is an error.
    let ids = Tensor::arange(0u32, count as u32, ids.device())?.index_select(&ids, 0)?;
    let order = ids.arg_sort_last_dim(true)?;
    let of_order = ids.index_select(&order, 0)?;
    let (weights, x) = (weights.contiguous()?, x.contiguous()?.reshape(((), k))?);
    offer(&FusedOp::Moe { topk, is_prefill: false }, &[&x, &weights, &order, &of_order])
}

/// Of candle's operations, a few tokens at once.
fn gathered(weights: &Tensor, x: &Tensor, ids: &Tensor) -> Result<Tensor> {
    let ((_, n, k), (tokens, topk)) = (weights.dims3()?, ids.dims2()?);
    let at_once = (GATHERED / topk.saturating_mul(n * k)).max(1);
    let part = |first: usize| {
        let count = at_once.min(tokens - first);
        let chosen = weights.index_select(&ids.narrow(0, first, count)?.flatten_all()?, 0)?;
        let x = x.narrow(0, first, count)?.broadcast_as((count, topk, k))?;
        chosen.matmul(&x.reshape((count * topk, k, 1))?)?.squeeze(2)
    };
    let parts = (0..tokens).step_by(at_once).map(part).collect::<Result<Vec<_>>>()?;
    Tensor::cat(&parts, 0)
}
