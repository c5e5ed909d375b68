//! The functions that are no custom operations, for tensors on a ROCm device.

use candle::quantized::QTensor;
use candle::rocm::{offer, FusedOp};
use candle::{DType, Result, Tensor, D};

/// Attention: the backend's kernel, else operation by operation on the device.
pub(crate) fn sdpa(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    mask: Option<&Tensor>,
    causal: bool,
    scale: f32,
    softcapping: f32,
) -> Result<Tensor> {
    let op = FusedOp::Sdpa { scale, softcapping, causal };
    let operands: Vec<&Tensor> = [q, k, v].into_iter().chain(mask).collect();
    if let Some(output) = offer(&op, &operands)? {
        return Ok(output);
    }
    let (heads, queries) = (q.dim(1)?, q.dim(2)?);
    let (kv_heads, keys) = (k.dim(1)?, k.dim(2)?);
    if kv_heads == 0 || heads % kv_heads != 0 {
        candle::bail!("sdpa: {heads} query heads are not a multiple of {kv_heads} key heads")
    }
    let per_query_head = |x: &Tensor| {
        let (b, h, s, d) = x.dims4()?;
        let group = heads / kv_heads;
        x.unsqueeze(2)?.broadcast_as((b, h, group, s, d))?.reshape((b, heads, s, d))
    };
    let (k, v) = (per_query_head(k)?, per_query_head(v)?);
    let mut scores = (q.contiguous()?.matmul(&k.t()?)?.to_dtype(DType::F32)? * f64::from(scale))?;
    if softcapping != 1. {
        scores = ((scores / f64::from(softcapping))?.tanh()? * f64::from(softcapping))?;
    }
    if let Some(mask) = mask {
        scores = scores.broadcast_add(&mask.to_dtype(DType::F32)?)?;
    }
    if causal {
        // The last query sees all keys.
        let seen = |i: usize, j: usize| j + queries <= i + keys;
        let blocked = (0..queries)
            .flat_map(|i| (0..keys).map(move |j| if seen(i, j) { 0. } else { f32::NEG_INFINITY }));
        let blocked = Tensor::from_vec(blocked.collect::<Vec<_>>(), (queries, keys), scores.device())?;
        scores = scores.broadcast_add(&blocked)?;
    }
    crate::ops::softmax(&scores, D::Minus1)?.to_dtype(v.dtype())?.matmul(&v)
}

/// Group norm, if a backend takes it as a whole and if no gradient is asked for: what it gives has none.
pub(crate) fn group_norm(
    x: &Tensor,
    weight: &Tensor,
    bias: &Tensor,
    groups: usize,
    eps: f64,
) -> Result<Option<Tensor>> {
    let operands = [x, weight, bias];
    let alike = operands.iter().all(|t| t.dtype() == x.dtype() && t.device().is_rocm() && !t.track_op());
    if !alike || x.elem_count() == 0 {
        return Ok(None);
    }
    let operands = [&x.contiguous()?, &weight.contiguous()?, &bias.contiguous()?];
    offer(&FusedOp::GroupNorm { groups, eps }, &operands)
}

/// The product of each token with its experts' weights.
pub fn moe_gemm(
    input: &Tensor,
    weights: &Tensor,
    topk_weights: &Option<Tensor>,
    sorted_token_ids: &Tensor,
    experts_ids: &Tensor,
    topk: usize,
    is_prefill: bool,
) -> Result<Tensor> {
    let op = FusedOp::Moe { topk, is_prefill };
    let operands = [input, weights, sorted_token_ids, experts_ids];
    match offer(&op, &operands.into_iter().chain(topk_weights).collect::<Vec<_>>())? {
        Some(output) => Ok(output),
        None => {
            candle::bail!("moe_gemm has no kernel for {:?} on {:?}", input.dtype(), input.device().location())
        }
    }
}

/// As [`moe_gemm`], with quantized weights; the result is f32. Where the backend does not take it as a whole, the sorted lists
/// become each row's expert again, which is what the product of quantized experts takes.
#[allow(clippy::too_many_arguments)]
pub fn moe_gemm_gguf(
    input: &Tensor,
    weights: &QTensor,
    topk_weights: &Option<Tensor>,
    sorted_token_ids: &Tensor,
    experts_ids: &Tensor,
    topk: usize,
    is_prefill: bool,
    dtype: DType,
) -> Result<Tensor> {
    let op = FusedOp::MoeQuantized { weights, topk, is_prefill, dtype };
    let operands = [input, sorted_token_ids, experts_ids];
    if let Some(output) = offer(&op, &operands.into_iter().chain(topk_weights).collect::<Vec<_>>())? {
        return Ok(output);
    }
    if !input.device().is_rocm() {
        candle::bail!("moe_gemm_gguf has no kernel for {:?}", input.device().location())
    }
    let (rows, k) = input.dims2()?;
    let (_, n, _) = weights.shape().dims3()?;
    let per_row = if topk_weights.is_some() { 1 } else { topk };
    let count = rows * per_row;
    let experts = Tensor::zeros(count, DType::U32, input.device())?;
    let experts = experts.scatter(&sorted_token_ids.flatten_all()?, &experts_ids.flatten_all()?, 0)?;
    let input = input.to_dtype(DType::F32)?.reshape((rows, 1, k))?;
    let output = weights.indexed_moe_forward(&input, &experts.reshape((rows, per_row))?)?.reshape((count, n))?;
    match topk_weights {
        Some(factors) => output.broadcast_mul(&factors.reshape((count, 1))?),
        None => Ok(output),
    }
}
