//! Gradients of fused operations.

use candle_core::rocm::FusedOp;
use candle_core::{Layout, Result};

use crate::{RocmStorage, nn};

type Operand<'a> = (&'a RocmStorage, &'a Layout);

/// The gradients of `args`, of those that are wanted; `None` where there are no kernels for them.
pub(super) fn gradients(
    op: &FusedOp<'_>,
    args: &[Operand<'_>],
    y: Operand<'_>,
    dy: Operand<'_>,
    wanted: &[bool],
) -> Result<Option<Vec<Option<RocmStorage>>>> {
    let Some((x, _)) = args.first() else { return Ok(None) };
    let floats = crate::common::operand::floats("", x).is_ok();
    let gradients = match (op, args, wanted) {
        (FusedOp::Sigmoid, [_], _) => vec![Some(nn::sigmoid_backward(y, dy)?)],
        (FusedOp::SoftmaxLastDim, [_], _) if floats => vec![Some(nn::softmax_last_dim_backward(y, dy)?)],
        (FusedOp::RmsNorm { eps }, [x, alpha], &[of_x, of_alpha]) if floats => {
            let of = nn::rms_norm_backward(*x, *alpha, dy, *eps, [of_x, of_alpha])?;
            vec![of.x, of.alpha]
        }
        (FusedOp::LayerNorm { eps }, [x, alpha, _], &[of_x, of_alpha, of_beta]) if floats => {
            let of = nn::layer_norm_backward(*x, *alpha, dy, *eps, [of_x, of_alpha, of_beta])?;
            vec![of.x, of.alpha, of.beta]
        }
        (FusedOp::GroupNorm { groups, eps }, [x, alpha, _], &[of_x, of_alpha, of_beta]) if floats => {
            let of = nn::group_norm_backward(*x, *alpha, dy, *groups, *eps, [of_x, of_alpha, of_beta])?;
            vec![of.x, of.alpha, of.beta]
        }
        (FusedOp::CumSum { dim }, [_], _) if floats => vec![Some(dy.0.reverse_cumsum(dy.1, *dim)?)],
        (
            FusedOp::Moe { topk, .. },
            [x, weights, rows, experts, rest @ ..],
            &[of_x, of_weights, ref of_rest @ ..],
        ) if crate::attention::has(x.0.slice.dtype()) => {
            let wanted = [of_x, of_weights, of_rest.get(2).copied().unwrap_or_default()];
            let factors = rest.first().copied();
            let of = nn::moe_gemm_backward(*x, *weights, *rows, *experts, factors, *topk, dy, wanted)?;
            [Some(of.input), Some(of.weights), Some(None), Some(None), factors.map(|_| of.factors)]
                .into_iter()
                .flatten()
                .collect()
        }
        (
            FusedOp::Sdpa { scale, softcapping, causal },
            [q, k, v, mask @ ..],
            &[of_q, of_k, of_v, ref of_mask @ ..],
        ) if crate::attention::has(q.0.slice.dtype()) => {
            let attention = nn::Attention { scale: *scale, softcapping: *softcapping, causal: *causal };
            let wanted = [of_q, of_k, of_v, of_mask.first().copied().unwrap_or_default()];
            let of = nn::sdpa_backward(*q, *k, *v, mask.first().copied(), attention, y, dy, wanted)?;
            of.into_iter().take(args.len()).collect()
        }
        _ => return Ok(None),
    };
    Ok(Some(gradients))
}
