//! The functions that are no custom operations, for tensors on a ROCm device.

mod attention;
pub(crate) mod gradient;
pub(crate) mod rotary;

use candle::quantized::QTensor;
use candle::rocm::{offer, offer_backward, offer_with_gradient, FusedOp, Gradient};
use candle::{DType, Result, Tensor};

pub(crate) use attention::sdpa;

/// Group norm, if a backend takes it as a whole.
pub(crate) fn group_norm(
    x: &Tensor,
    weight: &Tensor,
    bias: &Tensor,
    groups: usize,
    eps: f64,
) -> Result<Option<Tensor>> {
    let operands = [x, weight, bias];
    let alike = operands.iter().all(|t| t.dtype() == x.dtype() && t.device().is_rocm());
    if !alike || x.elem_count() == 0 {
        return Ok(None);
    }
    let operands = [&x.contiguous()?, &weight.contiguous()?, &bias.contiguous()?];
    offer_with_gradient(&FusedOp::GroupNorm { groups, eps }, &operands, GroupNorm { groups, eps })
}

struct GroupNorm {
    groups: usize,
    eps: f64,
}

impl GroupNorm {
    /// Of candle's operations.
    fn composed(&self, x: &Tensor, weight: &Tensor, bias: &Tensor) -> Result<Tensor> {
        let rows = gradient::wide(x)?.reshape((x.dim(0)?, self.groups, ()))?;
        let centred = rows.broadcast_sub(&rows.mean_keepdim(2)?)?;
        let deviation = (centred.sqr()?.mean_keepdim(2)? + self.eps)?.sqrt()?;
        let normed = centred.broadcast_div(&deviation)?.reshape(x.shape())?.to_dtype(x.dtype())?;
        let mut per_channel = vec![1; x.rank()];
        per_channel[1] = x.dim(1)?;
        normed
            .broadcast_mul(&weight.reshape(per_channel.as_slice())?)?
            .broadcast_add(&bias.reshape(per_channel.as_slice())?)
    }
}

impl Gradient for GroupNorm {
    fn backward(&self, args: &[Tensor], y: &Tensor, dy: &Tensor) -> Result<Vec<Option<Tensor>>> {
        let op = FusedOp::GroupNorm { groups: self.groups, eps: self.eps };
        let composed = |args: &[Tensor; 3]| self.composed(&args[0], &args[1], &args[2]);
        Ok(gradient::of(&op, [&args[0], &args[1], &args[2]], y, dy, composed)?.into())
    }
}

/// Multiplies each token by the weights of its experts.
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
    let operands: Vec<_> = operands.into_iter().chain(topk_weights).collect();
    match offer_with_gradient(&op, &operands, Moe { topk, is_prefill })? {
        Some(output) => Ok(output),
        None => candle::bail!(
            "moe_gemm has no kernel for {:?} on {:?}; it takes f32, f16 and bf16 on a ROCm device{}",
            input.dtype(),
            input.device().location(),
            if candle::rocm::differentiable_gradients() { ", without CANDLE_GRAD_DO_NOT_DETACH" } else { "" }
        ),
    }
}

struct Moe {
    topk: usize,
    is_prefill: bool,
}

impl Gradient for Moe {
    fn backward(&self, args: &[Tensor], y: &Tensor, dy: &Tensor) -> Result<Vec<Option<Tensor>>> {
        let op = FusedOp::Moe { topk: self.topk, is_prefill: self.is_prefill };
        match offer_backward(&op, &args.iter().collect::<Vec<_>>(), y, dy)? {
            Some(gradients) => Ok(gradients),
            None => Err(candle::Error::BackwardNotSupported { op: "moe_gemm" }),
        }
    }
}

/// As [`moe_gemm`], with quantized weights and an f32 result. If the backend has no fused kernel, the sorted lists are converted back to
/// each row's expert, which is what the product of quantized experts takes.
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
    if input.track_op() || topk_weights.as_ref().is_some_and(Tensor::track_op) {
        // Quantized weights have no gradient; what they are multiplied with does.
        let (input, weights) = (input.to_dtype(DType::F32)?, weights.dequantize(input.device())?);
        return moe_gemm(&input, &weights, topk_weights, sorted_token_ids, experts_ids, topk, is_prefill);
    }
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
