//! Attention, and its gradients.

use candle::rocm::{offer_with_gradient, FusedOp, Gradient};
use candle::{DType, Result, Tensor, D};

/// The backend's kernel, else operation by operation on the device.
pub(crate) fn sdpa(
    q: &Tensor,
    k: &Tensor,
    v: &Tensor,
    mask: Option<&Tensor>,
    causal: bool,
    scale: f32,
    softcapping: f32,
) -> Result<Tensor> {
    // candle-nn's word for none.
    let softcapping = (softcapping != 1.).then_some(softcapping);
    let attention = Attention { scale, softcapping, causal };
    let operands: Vec<&Tensor> = [q, k, v].into_iter().chain(mask).collect();
    match offer_with_gradient(&attention.op(), &operands, attention)? {
        Some(output) => Ok(output),
        None => attention.composed([q, k, v], mask),
    }
}

#[derive(Clone, Copy)]
struct Attention {
    scale: f32,
    softcapping: Option<f32>,
    causal: bool,
}

impl Attention {
    fn op(&self) -> FusedOp<'static> {
        FusedOp::Sdpa { scale: self.scale, softcapping: self.softcapping, causal: self.causal }
    }

    /// Of candle's operations.
    fn composed(&self, [q, k, v]: [&Tensor; 3], mask: Option<&Tensor>) -> Result<Tensor> {
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
        let mut scores =
            (q.contiguous()?.matmul(&k.t()?)?.to_dtype(DType::F32)? * f64::from(self.scale))?;
        if let Some(cap) = self.softcapping.map(f64::from) {
            scores = ((scores / cap)?.tanh()? * cap)?;
        }
        if let Some(mask) = mask {
            scores = scores.broadcast_add(&mask.to_dtype(DType::F32)?)?;
        }
        if self.causal {
            // The last query sees all keys.
            let seen = |i: usize, j: usize| j + queries <= i + keys;
            let blocked = (0..queries)
                .flat_map(|i| (0..keys).map(move |j| if seen(i, j) { 0. } else { f32::NEG_INFINITY }));
            let blocked = Tensor::from_vec(blocked.collect::<Vec<_>>(), (queries, keys), scores.device())?;
            scores = scores.broadcast_add(&blocked)?;
        }
        // A query that sees no key gives zeros, where softmax gives NaN.
        let hidden = scores.detach().max_keepdim(D::Minus1)?.eq(f32::NEG_INFINITY)?;
        let (hidden, zeros) = (hidden.broadcast_as(scores.shape())?, scores.zeros_like()?);
        let weights = crate::ops::softmax(&hidden.where_cond(&zeros, &scores)?, D::Minus1)?;
        hidden.where_cond(&zeros, &weights)?.to_dtype(v.dtype())?.matmul(&v)
    }
}

impl Gradient for Attention {
    fn backward(&self, args: &[Tensor], y: &Tensor, dy: &Tensor) -> Result<Vec<Option<Tensor>>> {
        let op = self.op();
        match args {
            [q, k, v] => {
                let composed = |[q, k, v]: &[Tensor; 3]| self.composed([q, k, v], None);
                Ok(super::gradient::of(&op, [q, k, v], y, dy, composed)?.into())
            }
            [q, k, v, mask] => {
                let composed = |[q, k, v, mask]: &[Tensor; 4]| self.composed([q, k, v], Some(mask));
                Ok(super::gradient::of(&op, [q, k, v, mask], y, dy, composed)?.into())
            }
            _ => candle::bail!("attention has three operands and maybe a mask, given {}", args.len()),
        }
    }
}
