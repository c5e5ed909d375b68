//! Attention, of which each rank has some heads.

use candle_core::{D, DType, Device, Module, Result, Tensor};
use candle_nn::rotary_emb::{rope, rope_i};

use super::{Config, Place};
use crate::{ColumnParallel, RowParallel, Weights};

pub(super) struct Attention {
    query: ColumnParallel,
    key: ColumnParallel,
    value: ColumnParallel,
    pub(super) output: RowParallel,
    heads: usize,
    key_value_heads: usize,
    head_size: usize,
    cache: Option<(Tensor, Tensor)>,
}

impl Attention {
    pub(super) fn load<W: Weights>(
        config: &Config,
        place: &Place<'_, W>,
        name: &impl Fn(&str) -> String,
    ) -> Result<Self> {
        let Config { hidden_size, heads, key_value_heads, .. } = *config;
        let head_size = hidden_size / heads;
        let kv_size = head_size * key_value_heads;
        Ok(Self {
            query: place.columns(&name("self_attn.q_proj"), [hidden_size, hidden_size])?,
            key: place.columns(&name("self_attn.k_proj"), [kv_size, hidden_size])?,
            value: place.columns(&name("self_attn.v_proj"), [kv_size, hidden_size])?,
            output: place.rows(&name("self_attn.o_proj"), [hidden_size, hidden_size])?,
            heads: heads / place.ranks,
            key_value_heads: key_value_heads / place.ranks,
            head_size,
            cache: None,
        })
    }

    /// The rank's heads, before the product that adds them up.
    pub(super) fn attend(
        &mut self,
        x: &Tensor,
        mask: Option<&Mask>,
        position: usize,
        rotary: &Rotary,
    ) -> Result<Tensor> {
        let (batch, length, _) = x.dims3()?;
        let split = |x: Tensor, heads: usize| {
            x.reshape((batch, length, heads, self.head_size))?.transpose(1, 2)?.contiguous()
        };
        let query = rotary.apply(&split(self.query.forward(x)?, self.heads)?, position)?;
        let key = rotary.apply(&split(self.key.forward(x)?, self.key_value_heads)?, position)?;
        let value = split(self.value.forward(x)?, self.key_value_heads)?;
        let (key, value) = match self.cache.take().filter(|_| position > 0) {
            Some((keys, values)) => (Tensor::cat(&[&keys, &key], 2)?, Tensor::cat(&[&values, &value], 2)?),
            None => (key, value),
        };
        self.cache = Some((key.clone(), value.clone()));

        let scale = 1. / (self.head_size as f64).sqrt();
        let hidden = match mask {
            // Keys that no query of a block sees are left out. With a mask all are multiplied, half of a prompt's for nothing.
            Some(Mask::Causal) => {
                let y = candle_nn::ops::sdpa(&query, &key, &value, None, true, scale as f32, 1.)?;
                return y.transpose(1, 2)?.reshape((batch, length, self.heads * self.head_size));
            }
            Some(Mask::Hidden(hidden)) => Some(hidden),
            None => None,
        };
        let group = self.heads / self.key_value_heads;
        let (key, value) = (repeat(key, group)?, repeat(value, group)?);
        let scores = (query.matmul(&key.t()?)? * scale)?;
        let scores = match hidden {
            Some(hidden) => hide(&scores, hidden)?,
            None => scores,
        };
        let y = candle_nn::ops::softmax_last_dim(&scores)?.matmul(&value.contiguous()?)?;
        y.transpose(1, 2)?.reshape((batch, length, self.heads * self.head_size))
    }

    /// Forgets the keys and values after so many tokens.
    pub(super) fn truncate(&mut self, tokens: usize) -> Result<()> {
        match &mut self.cache {
            Some((keys, values)) => {
                *keys = keys.narrow(2, 0, tokens)?.contiguous()?;
                *values = values.narrow(2, 0, tokens)?.contiguous()?;
            }
            None if tokens > 0 => candle_core::bail!("truncate to {tokens} tokens: the sequence is empty"),
            None => {}
        }
        Ok(())
    }
}

/// Each head, `count` times.
fn repeat(x: Tensor, count: usize) -> Result<Tensor> {
    if count == 1 {
        return Ok(x);
    }
    let (batch, heads, length, size) = x.dims4()?;
    Tensor::cat(&vec![&x; count], 2)?.reshape((batch, heads * count, length, size))
}

/// Where tokens must not look: at later ones.
pub(super) enum Mask {
    /// The kernel knows.
    Causal,
    /// [tokens, all tokens], 1 where they must not.
    Hidden(Tensor),
}

impl Mask {
    /// Of so many tokens, the last of a sequence; a single one sees all.
    pub(super) fn new(length: usize, position: usize, device: &Device) -> Result<Option<Self>> {
        if length == 1 {
            return Ok(None);
        }
        if device.is_rocm() {
            return Ok(Some(Self::Causal));
        }
        let all = (position + length) as u32;
        let places = Tensor::arange(0, all, device)?;
        let own = Tensor::arange(position as u32, all, device)?.unsqueeze(1)?;
        Ok(Some(Self::Hidden(places.broadcast_gt(&own)?)))
    }
}

fn hide(scores: &Tensor, hidden: &Tensor) -> Result<Tensor> {
    let lowest = Tensor::new(f32::NEG_INFINITY, scores.device())?.to_dtype(scores.dtype())?;
    hidden.broadcast_as(scores.shape())?.where_cond(&lowest.broadcast_as(scores.shape())?, scores)
}

pub(super) struct Rotary {
    cos: Tensor,
    sin: Tensor,
    interleaved: bool,
}

impl Rotary {
    pub(super) fn new(config: &Config, dtype: DType, device: &Device) -> Result<Self> {
        let size = config.hidden_size / config.heads;
        let rates: Vec<f32> =
            (0..size).step_by(2).map(|i| 1. / config.rope_theta.powf(i as f32 / size as f32)).collect();
        let positions = Tensor::arange(0u32, config.max_positions as u32, device)?.to_dtype(DType::F32)?;
        let angles = positions.unsqueeze(1)?.matmul(&Tensor::new(rates, device)?.unsqueeze(0)?)?;
        let (cos, sin) = (angles.cos()?.to_dtype(dtype)?, angles.sin()?.to_dtype(dtype)?);
        Ok(Self { cos, sin, interleaved: config.interleaved })
    }

    fn apply(&self, x: &Tensor, position: usize) -> Result<Tensor> {
        let length = x.dim(D::Minus2)?;
        let (cos, sin) = (self.cos.narrow(0, position, length)?, self.sin.narrow(0, position, length)?);
        if self.interleaved { rope_i(x, &cos, &sin) } else { rope(x, &cos, &sin) }
    }
}
