//! What models spell out, and what is joined: each returns what its caller keeps.

use candle_core::DType;
use candle_core::quantized::GgmlDType;

use super::generator::Builder;
use super::program::{Op, Values, View};

type Idiom = fn(&mut Builder) -> Option<Vec<usize>>;

/// Operations that are not part of generated kernels.
pub const FILLERS: &[&str] = &["sin", "cos"];

pub const IDIOMS: &[(&str, Idiom)] = &[
    ("rms norm", |b| rms_norm(b).map(|y| vec![y])),
    ("layer norm", |b| layer_norm(b).map(|y| vec![y])),
    ("softmax", |b| softmax(b, false).map(|y| vec![y])),
    ("log softmax", |b| softmax(b, true).map(|y| vec![y])),
    ("gelu", |b| gelu(b).map(|y| vec![y])),
    ("swiglu", |b| swiglu(b).map(|y| vec![y])),
    ("residual and norm", residual),
    ("attention", |b| attention(b).map(|y| vec![y])),
    ("attention", |b| attention(b).map(|y| vec![y])),
    ("sdpa", |b| sdpa(b).map(|y| vec![y])),
    ("decoder step", decoder_step),
    ("min max", |b| min_max(b).map(|y| vec![y])),
    ("min max", |b| min_max(b).map(|y| vec![y])),
    ("integers", |b| integers(b).map(|y| vec![y])),
    ("sum and scale", |b| scaled_sum(b).map(|y| vec![y])),
    ("batch norm", |b| batch_norm(b).map(|y| vec![y])),
    ("adam", adam),
    ("top k", top_k),
    ("rope", rope),
    ("quantized", |b| {
        let rows = b.of(&[1, 1, 3, 8]);
        quantized(b, rows)
    }),
    ("quantized tiles", quantized_tiles),
    ("feed forward", |b| feed_forward(b).map(|y| vec![y])),
    ("var", |b| {
        let x = rows(b)?;
        let dim = b.dims(x).len() - 1;
        b.op(Op::Reduce { name: "var", dims: vec![dim], keepdim: true }, &[x]).map(|y| vec![y])
    }),
];

impl Builder {
    fn unary(&mut self, name: &'static str, x: usize) -> Option<usize> {
        self.op(Op::Unary(name), &[x])
    }

    fn binary(&mut self, name: &'static str, x: usize, y: usize) -> Option<usize> {
        self.op(Op::Binary(name), &[x, y])
    }

    fn broadcast(&mut self, name: &'static str, x: usize, y: usize) -> Option<usize> {
        self.op(Op::Broadcast(name), &[x, y])
    }

    fn affine(&mut self, x: usize, mul: f64, add: f64) -> Option<usize> {
        self.op(Op::Affine(mul, add), &[x])
    }

    fn reduced(&mut self, name: &'static str, x: usize) -> Option<usize> {
        let dim = self.dims(x).len().checked_sub(1)?;
        self.op(Op::Reduce { name, dims: vec![dim], keepdim: true }, &[x])
    }

    fn cast(&mut self, x: usize, dtype: DType) -> Option<usize> {
        self.op(Op::Cast(dtype), &[x])
    }

    fn view(&mut self, x: usize, view: View) -> Option<usize> {
        self.op(Op::View(view), &[x])
    }
}

/// Rows of whole vectors, as models have them, or others.
fn rows(b: &mut Builder) -> Option<usize> {
    if b.chance(0.3)
        && let Some(x) =
            b.any(|info| info.dtype.is_float() && info.dims.len() > 1 && info.dims.iter().all(|&n| n > 1))
    {
        return Some(x);
    }
    let n = if b.program.compiled { b.of(&[16, 64]) } else { b.of(&[8, 16, 64, 64, 70, 1000]) };
    let count = 1 + b.below(3);
    let dims = if b.chance(0.3) { vec![count, 1 + b.below(3), n] } else { vec![count, n] };
    b.normal(&dims)
}

fn parameter(b: &mut Builder, x: usize) -> Option<usize> {
    let n = *b.dims(x).last()?;
    b.beside(x, &[n])
}

fn rms_norm(b: &mut Builder) -> Option<usize> {
    let x = rows(b)?;
    let (dtype, n) = (b.dtype_of(x), *b.dims(x).last()?);
    let wide = if b.chance(0.7) && dtype != DType::F64 { b.cast(x, DType::F32)? } else { x };
    let squares = b.unary("sqr", wide)?;
    let sum = b.reduced("sum", squares)?;
    let mean = b.affine(sum, 1. / n as f64, 0.)?;
    let added = b.affine(mean, 1., 1e-5)?;
    let root = b.unary("sqrt", added)?;
    let normed = b.broadcast("div", wide, root)?;
    let back = b.cast(normed, dtype)?;
    let weight = parameter(b, x)?;
    b.broadcast("mul", back, weight)
}

fn layer_norm(b: &mut Builder) -> Option<usize> {
    let x = rows(b)?;
    let (weight, bias) = (parameter(b, x)?, parameter(b, x)?);
    let mean = b.reduced("mean", x)?;
    let centred = b.broadcast("sub", x, mean)?;
    let squares = b.unary("sqr", centred)?;
    let variance = b.reduced("mean", squares)?;
    let added = b.affine(variance, 1., 1e-3)?;
    let root = b.unary("sqrt", added)?;
    let normed = b.broadcast("div", centred, root)?;
    let scaled = b.broadcast("mul", normed, weight)?;
    b.broadcast("add", scaled, bias)
}

/// As `candle_nn::ops::softmax` has it.
fn spelled_softmax(b: &mut Builder, x: usize) -> Option<usize> {
    let largest = b.reduced("max", x)?;
    let below = b.broadcast("sub", x, largest)?;
    let exp = b.unary("exp", below)?;
    let sum = b.reduced("sum", exp)?;
    b.broadcast("div", exp, sum)
}

fn softmax(b: &mut Builder, log: bool) -> Option<usize> {
    let x = rows(b)?;
    let largest = b.reduced("max", x)?;
    let below = b.broadcast("sub", x, largest)?;
    let exp = b.unary("exp", below)?;
    let sum = b.reduced("sum", exp)?;
    if log {
        let log = b.unary("log", sum)?;
        return b.broadcast("sub", below, log);
    }
    let y = b.broadcast("div", exp, sum)?;
    if b.chance(0.3) { b.affine(y, 3., 0.) } else { Some(y) }
}

fn gelu(b: &mut Builder) -> Option<usize> {
    let x = rows(b)?;
    let square = b.binary("mul", x, x)?;
    let cube = b.binary("mul", square, x)?;
    let scaled = b.affine(cube, 0.044715, 0.)?;
    let sum = b.binary("add", x, scaled)?;
    let inside = b.affine(sum, 0.797, 0.)?;
    let tanh = b.unary("tanh", inside)?;
    let added = b.affine(tanh, 1., 1.)?;
    let product = b.binary("mul", x, added)?;
    b.affine(product, 0.5, 0.)
}

fn swiglu(b: &mut Builder) -> Option<usize> {
    let x = rows(b)?;
    let dims = b.dims(x);
    let last = dims.len() - 1;
    if dims[last] < 2 {
        return None;
    }
    let half = dims[last] / 2;
    let [gate, up] = [0, half].map(|start| b.view(x, View::Narrow { dim: last, start, len: half }));
    let (gate, up) = (gate?, up?);
    let gate = b.unary("silu", gate)?;
    b.binary("mul", gate, up)
}

fn residual(b: &mut Builder) -> Option<Vec<usize>> {
    let x = rows(b)?;
    let y = b.partner(x)?;
    let sum = b.binary("add", x, y)?;
    let weight = parameter(b, x)?;
    let norm = if b.chance(0.5) {
        b.op(Op::RmsNorm(1e-5), &[sum, weight])?
    } else {
        let bias = parameter(b, x)?;
        b.op(Op::LayerNorm(1e-5), &[sum, weight, bias])?
    };
    let normed = if b.chance(0.5) { b.affine(norm, 0.5, 0.1)? } else { norm };
    Some(if b.chance(0.6) { vec![sum, normed] } else { vec![normed] })
}

/// Queries, keys and values, with heads of keys that are repeated or not.
fn heads(b: &mut Builder) -> Option<[usize; 3]> {
    let (batch, kv, t, s) = (1 + b.below(2), 1 + b.below(2), b.of(&[1, 2, 5, 40]), b.of(&[1, 5, 7, 33]));
    let (heads, d) = (kv * (1 + b.below(2)), b.of(&[8, 16, 24]));
    let s = s.max(t.min(7));
    let q = b.normal(&[batch, heads, t, d])?;
    Some([q, b.normal(&[batch, kv, s, d])?, b.normal(&[batch, kv, s, d])?])
}

fn attention(b: &mut Builder) -> Option<usize> {
    let first = b.program.tensors.len();
    let [q, mut k, mut v] = heads(b)?;
    let (of_q, of_k) = (b.dims(q), b.dims(k));
    let repeats = of_q[1] / of_k[1];
    if repeats > 1 {
        for x in [&mut k, &mut v] {
            let all = b.op(Op::Cat(2), &vec![*x; repeats])?;
            *x = b.view(all, View::Reshape(vec![of_q[0], of_q[1], of_k[2], of_k[3]]))?;
        }
    }
    let (dtype, wide) = (b.dtype_of(q), b.chance(0.3));
    let [mut q, mut k, mut v] = [q, k, v];
    if wide && dtype != DType::F64 {
        for x in [&mut q, &mut k, &mut v] {
            *x = b.cast(*x, DType::F32)?;
        }
    }
    let scaled_before = b.chance(0.2);
    if scaled_before {
        q = b.affine(q, 0.5, 0.)?;
    }
    let turned = b.view(k, View::Transpose(2, 3))?;
    let mut scores = b.op(Op::MatMul, &[q, turned])?;
    if b.chance(0.7) {
        let scale = b.of(&[0.25, 0.3, 1., 2.]);
        scores = b.affine(scores, scale, 0.)?;
    }
    match b.below(6) {
        0 => scores = b.unary("tanh", scores)?,
        1 => {
            let cap = b.of(&[1., 2., 30.]);
            let inside = b.affine(scores, 1. / cap, 0.)?;
            let tanh = b.unary("tanh", inside)?;
            scores = b.affine(tanh, cap, 0.)?;
        }
        _ => {}
    }
    let (scores, hides_a_row) = masked(b, scores)?;
    let weights = if b.chance(0.3) { spelled_softmax(b, scores)? } else { b.op(Op::Softmax, &[scores])? };
    let y = b.op(Op::MatMul, &[weights, v])?;
    let mut y = b.cast(y, dtype)?;
    if b.chance(0.5) {
        let turned = b.view(y, View::Transpose(1, 2))?;
        y = b.op(Op::Contiguous, &[turned])?;
    }
    of_attention(b, first, y, hides_a_row)
}

/// What a query gives that sees no key has a check of its own, in [`super::compare`], so nothing is computed from it.
fn of_attention(b: &mut Builder, first: usize, y: usize, hides_a_row: bool) -> Option<usize> {
    if !hides_a_row {
        return Some(y);
    }
    // What is still there is not joined.
    b.return_from(first, &[y]);
    b.read(y);
    b.drop(y);
    None
}

/// With a mask that is added, one that selects, or none; and whether a query sees no key.
fn masked(b: &mut Builder, scores: usize) -> Option<(usize, bool)> {
    let dims = b.dims(scores);
    let (t, s) = (dims[2], dims[3]);
    let of_mask = match b.below(3) {
        0 => vec![t, s],
        1 => vec![dims[0], 1, t, s],
        _ => vec![1, 1, 1, s],
    };
    let hides_a_row = b.chance(0.2);
    let values = Values::Mask { hides_a_row };
    match b.below(4) {
        0 => {
            let mask = b.new_tensor(values, &of_mask, b.dtype_of(scores))?;
            Some((b.broadcast("add", scores, mask)?, hides_a_row))
        }
        1 => {
            let mask = b.new_tensor(values, &of_mask, DType::U8)?;
            let mask = b.view(mask, View::BroadcastAs(dims.clone()))?;
            let hidden = b.new_tensor(Values::Full(f64::NEG_INFINITY), &[], b.dtype_of(scores))?;
            let hidden = b.view(hidden, View::BroadcastAs(dims))?;
            Some((b.op(Op::WhereCond, &[mask, hidden, scores])?, hides_a_row))
        }
        _ => Some((scores, false)),
    }
}

fn sdpa(b: &mut Builder) -> Option<usize> {
    let first = b.program.tensors.len();
    let [q, k, v] = heads(b)?;
    if b.dtype == DType::F64 {
        return None;
    }
    let (of_q, of_k) = (b.dims(q), b.dims(k));
    let causal = b.chance(0.3) && of_q[2] <= of_k[2];
    let mut inputs = vec![q, k, v];
    let mut hides_a_row = false;
    if !causal && b.chance(0.3) {
        hides_a_row = b.chance(0.2);
        let dims = [of_q[0], of_q[1], of_q[2], of_k[2]];
        inputs.push(b.new_tensor(Values::Mask { hides_a_row }, &dims, b.dtype)?);
    }
    let (scale, softcapping) = (b.of(&[0.25, 1.]), b.of(&[1., 1., 30.]));
    let y = b.op(Op::Sdpa { causal, scale, softcapping }, &inputs)?;
    of_attention(b, first, y, hides_a_row)
}

/// Rotated keys go behind those in a cache, and a query sees all of them.
fn decoder_step(b: &mut Builder) -> Option<Vec<usize>> {
    let (heads, repeats, d, past) = (1 + b.below(2), 1 + b.below(2), b.of(&[8, 16]), 1 + b.below(8));
    let [mut k_cache, mut v_cache] = [b.normal(&[1, heads, past, d])?, b.normal(&[1, heads, past, d])?];
    let mut kept = Vec::new();
    for _ in 0..1 + b.below(2) {
        let x = [heads * repeats, heads, heads].map(|heads| {
            let flat = b.normal(&[1, 1, heads * d])?;
            let split = b.view(flat, View::Reshape(vec![1, 1, heads, d]))?;
            let turned = b.view(split, View::Transpose(1, 2))?;
            b.op(Op::Contiguous, &[turned])
        });
        let [q, k, v] = [x[0]?, x[1]?, x[2]?];
        let [cos, sin] = [b.normal(&[1, d / 2])?, b.normal(&[1, d / 2])?];
        let [q, k] = [b.op(Op::Rope("rope"), &[q, cos, sin])?, b.op(Op::Rope("rope"), &[k, cos, sin])?];
        k_cache = b.op(Op::Cat(2), &[k_cache, k])?;
        v_cache = b.op(Op::Cat(2), &[v_cache, v])?;
        let [mut k, mut v] = [k_cache, v_cache];
        if repeats > 1 {
            let dims = b.dims(k);
            for x in [&mut k, &mut v] {
                let all = b.op(Op::Cat(2), &[*x, *x])?;
                *x = b.view(all, View::Reshape(vec![1, heads * 2, dims[2], d]))?;
            }
        }
        let turned = b.view(k, View::Transpose(2, 3))?;
        let scores = b.op(Op::MatMul, &[q, turned])?;
        let scores = b.affine(scores, 0.3, 0.)?;
        let weights = b.op(Op::Softmax, &[scores])?;
        let y = b.op(Op::MatMul, &[weights, v])?;
        let turned = b.view(y, View::Transpose(1, 2))?;
        kept.push(b.view(turned, View::Reshape(vec![1, 1, heads * repeats * d]))?);
    }
    kept.extend([k_cache, v_cache]);
    Some(kept)
}

/// The first of sorted rows, as routers of mixtures of experts and samplers have them, and what is nearly that.
fn top_k(b: &mut Builder) -> Option<Vec<usize>> {
    let (count, n) = (b.of(&[1, 1, 2, 5]), b.of(&[2, 8, 33, 128]));
    let dims = if b.chance(0.3) { vec![2, count, n] } else { vec![count, n] };
    let last = dims.len() - 1;
    let mut x = b.normal(&dims)?;
    if b.chance(0.5) {
        x = b.op(Op::Softmax, &[x])?;
    }
    let ascending = b.chance(0.3);
    let all = b.op(Op::ArgSort(ascending), &[x])?;
    let len = 1 + b.below(n.min(8));
    let start = if b.chance(0.9) { 0 } else { b.below(n - len + 1) };
    let part = View::Narrow { dim: last, start, len };
    let mut kept = Vec::new();
    if b.chance(0.3) {
        let elements = b.op(Op::Gather(last), &[x, all])?;
        kept.extend([b.view(all, part.clone())?, b.view(elements, part)?]);
        if b.chance(0.3) {
            kept.push(if b.chance(0.5) { all } else { elements });
        }
        for first in &mut kept[..2] {
            if b.chance(0.7) {
                *first = b.op(Op::Contiguous, &[*first])?;
            }
        }
        return Some(kept);
    }
    let mut first = b.view(all, part)?;
    if b.chance(0.9) {
        first = b.op(Op::Contiguous, &[first])?;
    }
    let from = if b.chance(0.9) { x } else { b.partner(x)? };
    let mut elements = b.op(Op::Gather(last), &[from, first])?;
    if b.chance(0.3) {
        let sum = b.reduced("sum", elements)?;
        elements = b.broadcast("div", elements, sum)?;
    }
    kept.push(elements);
    if b.chance(0.7) {
        kept.push(first);
    }
    if b.chance(0.1) {
        kept.push(all);
    }
    Some(kept)
}

fn min_max(b: &mut Builder) -> Option<usize> {
    let x = rows(b)?;
    let (low, high) = (b.reduced("min", x)?, b.reduced("max", x)?);
    let above = b.broadcast("sub", x, low)?;
    let span = b.binary("sub", high, low)?;
    let span = b.affine(span, 1., 1e-3)?;
    b.broadcast("div", above, span)
}

fn scaled_sum(b: &mut Builder) -> Option<usize> {
    let x = rows(b)?;
    let x = b.unary("abs", x)?;
    let sum = b.reduced("sum", x)?;
    let sum = b.affine(sum, 1., 0.5)?;
    b.broadcast("div", x, sum)
}

/// A tree of integers.
fn integers(b: &mut Builder) -> Option<usize> {
    let dtype = b.of(&[DType::U8, DType::U32, DType::I64]);
    let x = b.new_tensor(Values::Below(9), &[2, 16], dtype)?;
    let name = b.of(&["ceil", "floor", "round", "abs", "relu"]);
    let x = b.unary(name, x)?;
    let sum = b.binary("add", x, x)?;
    b.affine(sum, 3., 1.)
}

fn batch_norm(b: &mut Builder) -> Option<usize> {
    let (channels, n) = (1 + b.below(4), b.of(&[16, 64]));
    let x = b.normal(&[2, channels, n])?;
    let of_channels = [Values::Normal, Values::Positive, Values::Normal, Values::Normal];
    let of_channels = of_channels.map(|values| b.new_tensor(values, &[1, channels, 1], b.dtype));
    let [mean, variance, weight, bias] = of_channels;
    let centred = b.broadcast("sub", x, mean?)?;
    let added = b.affine(variance?, 1., 1e-3)?;
    let root = b.unary("sqrt", added)?;
    let y = b.broadcast("div", centred, root)?;
    let y = b.broadcast("mul", y, weight?)?;
    b.broadcast("add", y, bias?)
}

/// A variable and its moments, for two steps.
fn adam(b: &mut Builder) -> Option<Vec<usize>> {
    let dims = [b.size(), b.of(&[4, 8, 10])];
    let values =
        [Values::Normal, Values::Zeros, Values::Zeros].map(|values| b.new_tensor(values, &dims, b.dtype));
    let [x, m, v] = [values[0]?, values[1]?, values[2]?].map(|x| b.op(Op::Var, &[x]));
    let [x, m, v] = [x?, m?, v?];
    for step in 1..3 {
        let gradient = b.normal(&dims)?;
        let (scaled, of_gradient) = (b.affine(m, 0.9, 0.)?, b.affine(gradient, 0.1, 0.)?);
        let next_m = b.binary("add", scaled, of_gradient)?;
        let square = b.unary("sqr", gradient)?;
        let (scaled, of_square) = (b.affine(v, 0.99, 0.)?, b.affine(square, 0.01, 0.)?);
        let next_v = b.binary("add", scaled, of_square)?;
        let m_hat = b.affine(next_m, 1. / (1. - 0.9f64.powi(step)), 0.)?;
        let v_hat = b.affine(next_v, 1. / (1. - 0.99f64.powi(step)), 0.)?;
        let root = b.unary("sqrt", v_hat)?;
        let root = b.affine(root, 1., 1e-3)?;
        let change = b.binary("div", m_hat, root)?;
        let change = b.affine(change, 0.1, 0.)?;
        let next = b.binary("sub", x, change)?;
        for (variable, next) in [(x, next), (m, next_m), (v, next_v)] {
            b.set(variable, next)?;
        }
    }
    Some(vec![x, m, v])
}

fn rope(b: &mut Builder) -> Option<Vec<usize>> {
    let (heads, t, d) = (1 + b.below(3), 1 + b.below(4), b.of(&[4, 8, 16]));
    let name = b.of(&["rope", "rope_i", "rope_thd"]);
    let dims = if name == "rope_thd" { [2, t, heads, d] } else { [2, heads, t, d] };
    let [cos, sin] = [b.normal(&[t, d / 2])?, b.normal(&[t, d / 2])?];
    let [q, k] = [b.normal(&dims)?, b.normal(&dims)?];
    Some(vec![b.op(Op::Rope(name), &[q, cos, sin])?, b.op(Op::Rope(name), &[k, cos, sin])?])
}

/// Types of quantized matrices, their rows' length, rows that they are multiplied with in tiles, and columns of the products.
pub const QUANTIZED: [GgmlDType; 5] =
    [GgmlDType::Q4_0, GgmlDType::Q4K, GgmlDType::Q5K, GgmlDType::Q6K, GgmlDType::Q8_0];
pub const QUANTIZED_LENGTH: usize = 256;
pub const QUANTIZED_ROWS: [usize; 2] = [20, 40];
pub const QUANTIZED_COLUMNS: [usize; 2] = [8, 32];

/// Tiles have to be chosen, and choices count in programs that need not be deterministic.
fn quantized_tiles(b: &mut Builder) -> Option<Vec<usize>> {
    b.needs_choices();
    let (rows, dtype) = (b.of(&QUANTIZED_ROWS), std::mem::replace(&mut b.dtype, DType::F32));
    let results = quantized(b, rows);
    b.dtype = dtype;
    results
}

fn quantized(b: &mut Builder, rows: usize) -> Option<Vec<usize>> {
    if b.dtype == DType::F64 {
        return None;
    }
    let (dtype, n) = (b.of(&QUANTIZED), b.of(&QUANTIZED_COLUMNS));
    let values = b.of(&[Values::Normal, Values::Normal, Values::Small]);
    let x = b.new_tensor(values, &[rows, QUANTIZED_LENGTH], b.dtype)?;
    let weight = parameter(b, x)?;
    let x = if b.chance(0.5) { b.op(Op::RmsNorm(1e-5), &[x, weight])? } else { x };
    let mut all = Vec::new();
    for _ in 0..1 + b.below(3) {
        let seed = b.below(100) as u64;
        all.push(b.op(Op::QMatMul { dtype, n, seed }, &[x])?);
    }
    if let &[gate, up, ..] = &all[..]
        && b.chance(0.5)
    {
        let gate = b.unary("silu", gate)?;
        return Some(vec![b.binary("mul", gate, up)?]);
    }
    // A bias or a residual, and an activation.
    let mut followed = |product: usize| {
        let sum = match b.below(4) {
            0 => {
                let bias = b.normal(&[n])?;
                b.broadcast("add", product, bias)?
            }
            1 => {
                let residual = b.normal(&[rows, n])?;
                b.binary("add", residual, product)?
            }
            _ => product,
        };
        if b.chance(0.3) {
            let activation = b.of(&["relu", "gelu", "gelu_erf", "silu"]);
            return b.unary(activation, sum);
        }
        Some(sum)
    };
    all.into_iter().map(&mut followed).collect()
}

/// A gate and what it gates, of the norm of a residual connection.
fn feed_forward(b: &mut Builder) -> Option<usize> {
    let (k, n, count) = (b.of(&[16, 64]), b.of(&[8, 40]), b.of(&[1, 1, 2, 7]));
    let [x, y, weight] = [b.normal(&[count, k])?, b.normal(&[count, k])?, b.normal(&[k])?];
    let [gate, up, down] = [b.normal(&[n, k])?, b.normal(&[n, k])?, b.normal(&[k, n])?];
    let sum = b.binary("add", x, y)?;
    let norm = b.op(Op::RmsNorm(1e-5), &[sum, weight])?;
    let mut product = |x: usize, weights: usize| {
        let turned = b.view(weights, View::Transpose(0, 1))?;
        b.op(Op::MatMul, &[x, turned])
    };
    let (gate, up) = (product(norm, gate)?, product(norm, up)?);
    let gate = b.unary("silu", gate)?;
    let inner = b.binary("mul", gate, up)?;
    let turned = b.view(down, View::Transpose(0, 1))?;
    let out = b.op(Op::MatMul, &[inner, turned])?;
    let bias = b.normal(&[k])?;
    let out = b.broadcast("add", out, bias)?;
    b.binary("add", sum, out)
}
