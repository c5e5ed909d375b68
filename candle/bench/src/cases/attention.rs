//! Attention, fused and unfused, and rotary embeddings.

use candle_core::{DType, Device, Result, Tensor};

use super::{FLOATS, Plan, arguments, by};
use crate::bars::Bar;
use crate::case::Case;
use crate::side::Side;

const GROUP: &str = "attention";
const HEADS: usize = 32;
const SIZE: usize = 128;

pub(super) fn cases(plan: &Plan) -> Vec<Case> {
    let mut cases = Vec::new();
    for dtype in FLOATS {
        let prefill = Attention { queries: plan.dim(2048), keys: plan.dim(2048), dtype };
        let decode = Attention { queries: 1, keys: plan.dim(1024), dtype };
        for shape in [prefill, decode] {
            cases.push(shape.scores());
            cases.push(shape.unfused());
            cases.push(shape.fused());
        }
        for tokens in [1, plan.dim(2048)] {
            cases.push(rope("rope", tokens, dtype, candle_nn::rotary_emb::rope));
            cases.push(rope("rope_i", tokens, dtype, candle_nn::rotary_emb::rope_i));
        }
    }
    cases
}

#[derive(Clone, Copy)]
struct Attention {
    queries: usize,
    keys: usize,
    dtype: DType,
}

impl Attention {
    fn text(self) -> String {
        format!("q1x{HEADS}x{}x{SIZE} kv{}", self.queries, self.keys)
    }

    fn operands(self, side: &Side) -> Result<[Tensor; 3]> {
        let of = |seed, length| side.uniform_seeded(seed, &[1, HEADS, length, SIZE], self.dtype);
        Ok([of(0, self.queries)?, of(1, self.keys)?, of(2, self.keys)?])
    }

    fn setup(self) -> String {
        let of = |length: usize| format!("u(1, {HEADS}, {length}, {SIZE})");
        format!("q, k, v = {}, {}, {}", of(self.queries), of(self.keys), of(self.keys))
    }

    /// Floating-point operations of one of the two products.
    fn flops(self) -> usize {
        2 * HEADS * self.queries * self.keys * SIZE
    }

    fn bytes(self) -> usize {
        2 * HEADS * SIZE * (self.queries + self.keys) * self.dtype.size_in_bytes()
    }

    /// Several queries attend causally; a single query attends to all keys.
    fn causal(self) -> bool {
        self.queries > 1
    }

    fn scores(self) -> Case {
        Case::new(GROUP, "attn_qk", self.dtype, self.text(), move |side| {
            let [q, k, _] = self.operands(side)?;
            let k = k.t()?;
            Ok(Box::new(move || q.matmul(&k)))
        })
        .flops(self.flops())
        .tolerance(if self.dtype == DType::F32 { 1e-4 } else { 2e-2 })
        .torch(self.setup(), "q @ k.transpose(2, 3)")
    }

    /// As candle computes it without a fused kernel, without a mask.
    fn unfused(self) -> Case {
        Case::new(GROUP, "attn_unfused", self.dtype, self.text(), move |side| {
            let qkv = self.operands(side)?;
            Ok(Box::new(move || unfused(&qkv, None)))
        })
        .flops(2 * self.flops())
        .tolerance(if self.dtype == DType::F32 { 1e-3 } else { 5e-2 })
        .torch(self.setup(), format!("torch.softmax(q @ k.transpose(2, 3) * {}, -1) @ v", scale()))
    }

    /// `sdpa` on our side, the unfused operations on candle's.
    fn fused(self) -> Case {
        let causal = self.causal();
        let text = format!("{}{}", self.text(), if causal { " causal" } else { "" });
        let bar = (self.dtype == DType::F16 && causal).then_some(Bar::Stock(5.));
        let case = Case::new(GROUP, "attn_sdpa", self.dtype, text, move |side| {
            let [q, k, v] = self.operands(side)?;
            if side.is_ours() {
                return Ok(Box::new(move || {
                    candle_nn::ops::sdpa(&q, &k, &v, None, causal, scale() as f32, 1.)
                }));
            }
            let mask = if causal { Some(self.mask(&side.device)?) } else { None };
            let qkv = [q, k, v];
            Ok(Box::new(move || unfused(&qkv, mask.as_ref())))
        })
        .bytes(self.bytes())
        // Half of the scores are masked.
        .flops(2 * self.flops() / if causal { 2 } else { 1 })
        .tolerance(if self.dtype == DType::F32 { 1e-3 } else { 5e-2 })
        .torch(
            self.setup(),
            format!(
                "F.scaled_dot_product_attention(q, k, v, is_causal={})",
                if causal { "True" } else { "False" }
            ),
        );
        bar.into_iter().fold(case, Case::bar)
    }

    fn mask(self, device: &Device) -> Result<Tensor> {
        let hidden = |i: usize| if i % self.keys > i / self.keys { f32::NEG_INFINITY } else { 0. };
        let mask: Vec<f32> = (0..self.queries * self.keys).map(hidden).collect();
        Tensor::from_vec(mask, (self.queries, self.keys), device)?.to_dtype(self.dtype)
    }
}

fn scale() -> f64 {
    1. / (SIZE as f64).sqrt()
}

fn unfused([q, k, v]: &[Tensor; 3], mask: Option<&Tensor>) -> Result<Tensor> {
    let scores = (q.matmul(&k.t()?)? * scale())?;
    let scores = match mask {
        Some(mask) => scores.broadcast_add(mask)?,
        None => scores,
    };
    candle_nn::ops::softmax_last_dim(&scores)?.matmul(v)
}

type Rope = fn(&Tensor, &Tensor, &Tensor) -> Result<Tensor>;

fn rope(name: &'static str, tokens: usize, dtype: DType, run: Rope) -> Case {
    let dims = [1, HEADS, tokens, SIZE];
    let python = match name {
        "rope" => "a, b = x.chunk(2, -1); torch.cat([a * c - b * s, b * c + a * s], -1)",
        _ => "a, b = x[..., ::2], x[..., 1::2]; torch.stack([a * c - b * s, b * c + a * s], -1).flatten(-2)",
    };
    Case::new(GROUP, name, dtype, by(&dims), move |side| {
        let x = side.uniform(&dims, dtype)?;
        let angles = [tokens, SIZE / 2];
        let (cos, sin) = (side.uniform_seeded(1, &angles, dtype)?, side.uniform_seeded(2, &angles, dtype)?);
        Ok(Box::new(move || run(&x, &cos, &sin)))
    })
    .bytes((2 * HEADS + 1) * tokens * SIZE * dtype.size_in_bytes())
    .bar_if(tokens > 1, Bar::Copy(0.8))
    .tolerance(if dtype == DType::F32 { 1e-4 } else { 3e-2 })
    .torch(
        format!("x, c, s = u({}), u({tokens}, {}), u({tokens}, {})", arguments(&dims), SIZE / 2, SIZE / 2),
        python,
    )
}
