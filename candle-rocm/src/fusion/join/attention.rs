//! Attention as models spell it: `softmax(q k^T * scale + mask) v`, with tanh around the scores (softcapping), with a mask that is added
//! or that selects scores, with products or weights in f32, and with heads of keys and values repeated.

use candle_core::{DType, Layout};
use smallvec::{SmallVec, smallvec};

use super::{Found, Graph, Joined, Place, Slices, heads, kv_append, slices};
use crate::attention::{Attention, Axes, FullyMasked, Mask, Weights, sdpa_with};
use crate::common::operand::Operand;
use crate::dtype::DTypeExt;
use crate::elementwise::affine::Affine;
use crate::elementwise::binary::Binary;
use crate::elementwise::cast::Cast;
use crate::elementwise::unary::Unary;
use crate::fusion::Operation;
use crate::fusion::graph::{Argument, Covers, View, is_same};
use crate::layout::cat::Cat;
use crate::{Result, RocmDevice};

/// Attention, and how it is computed: of q, k and v, then the mask, and what it selects.
#[derive(Clone, Copy, Debug)]
pub(super) struct Attends {
    pub(super) attention: Attention,
    pub(super) weights: Weights,
    pub(super) axes: Axes,
}

impl Joined for Attends {
    fn name(&self) -> &'static str {
        "sdpa"
    }

    fn run(&self, _: Place<'_>, operands: &[Operand<'_>]) -> Result<Option<Slices>> {
        let &[q, k, v, ref mask @ ..] = operands else { return Ok(None) };
        let mask = match *mask {
            [] => None,
            // As the addition by itself: what a number as large as a mask's leaves of a score is what rounding leaves.
            [mask] if mask.0.dtype() == q.0.dtype() => Some(Mask::AddedRounded(mask)),
            [mask] => Some(Mask::Added(mask)),
            [mask, by, ..] => Some(Mask::Replaced { mask, by }),
        };
        let out = sdpa_with([q, k, v], mask, self.attention, self.weights, self.axes)?;
        slices([out]).map(Some)
    }
}

/// What scores are made of, before softmax.
struct Scores {
    q: Argument,
    /// `[.., s, d]`.
    k: Argument,
    scale: f64,
    softcapping: Option<f64>,
    /// The mask, and what it selects.
    mask: SmallVec<[Argument; 2]>,
}

/// `i` is the product with v.
pub(super) fn find(_: &RocmDevice, graph: &Graph<'_>, i: usize) -> Option<Found> {
    let node = graph.node(i);
    let (Operation::MatMul(_), [weights, v]) = (node.operation, &node.operands[..]) else { return None };
    let mut covers: Covers = smallvec![i];
    let (mut softmax, mut operation, mut operands) = graph.only_for(weights)?;
    let converted_weights = matches!(operation, Operation::Cast(_));
    if converted_weights {
        covers.push(softmax);
        (softmax, operation, operands) = graph.only_for(operands.first()?)?;
    }
    let (Operation::Softmax(_), [scores]) = (operation, operands) else { return None };
    covers.push(softmax);
    let mut scores = scores;
    if converted_weights {
        let (cast, Operation::Cast(Cast(DType::F32)), [of]) = graph.only_for(scores)? else { return None };
        if of.0.dtype() != v.0.dtype() {
            return None;
        }
        covers.push(cast);
        scores = of;
    }
    let Scores { q, k, scale, softcapping, mask } = masked_scores(graph, scores, &mut covers)?;
    let (scale, softcapping) = (scale as f32, softcapping.map(|cap| cap as f32));
    // Beyond f32's range, steps give what their product does not.
    if !scale.is_normal() || softcapping.is_some_and(|cap| !cap.is_normal()) {
        return None;
    }
    // One by one, softmax gives NaN where all keys are masked.
    let attention = Attention { scale, softcapping, causal: false, fully_masked: FullyMasked::Nan };
    let given = [in_heads(&q)?, in_heads(&k)?, in_heads(v)?];
    let mask = mask.iter().map(in_heads).collect::<Option<SmallVec<[Argument; 2]>>>()?;
    // `at` gives the result, but for what follows it.
    let found = |operands: [Argument; 3], weights, mut covers: Covers, at: usize| {
        let operands = shared(graph, operands, &mut covers);
        let (operands, mask) = heads::read_in_place(graph, operands, mask.clone(), &mut covers);
        let copy = heads::written_in_place(graph, &operands, at);
        covers.extend(copy);
        let (axes, at) = copy.map_or((Axes::Bhtd, at), |copy| (Axes::Bthd, copy));
        let attends = Attends { attention, weights, axes };
        if mask.is_empty()
            && let Some(found) = kv_append::with_attention(graph, &operands, attends, &covers, at)
        {
            return Some(found);
        }
        let cover = graph.cover(covers, &[at], at)?;
        Some(Found::new(attends, operands.into_iter().chain(mask), [graph.node(at).result], cover))
    };
    // Converted to f32 before, and back after: the kernel computes in f32 anyway, unless it rounds weights.
    if let Some(back) = graph.only_reader(i)
        && let (&Operation::Cast(Cast(dtype)), [of]) =
            (graph.node(back).operation, &graph.node(back).operands[..])
        && dtype.is_half()
        && of.1.is_whole(node.result.len())
    {
        let mut covers = covers.clone();
        let [q, k, v] = &given;
        if let (Some(q), Some(k), Some(v)) = (
            converted(graph, q, dtype, &mut covers),
            converted(graph, k, dtype, &mut covers),
            converted(graph, v, dtype, &mut covers),
        ) {
            covers.push(back);
            return found([q, k, v], Weights::Split, covers, back);
        }
    }
    found(given, Weights::Rounded, covers, i)
}

/// Scores to which a mask is added, or of which one selects, or without a mask.
fn masked_scores(graph: &Graph<'_>, scores: &Argument, covers: &mut Covers) -> Option<Scores> {
    let (at, operation, operands) = graph.only_for(scores)?;
    let (of, mask): (&Argument, SmallVec<[Argument; 2]>) = match (operation, operands) {
        (Operation::Binary(Binary { kernel: "badd", .. }), [a, b]) => {
            // A mask is no product.
            let is_mask = |operand: &Argument| {
                !operand.1.is_contiguous()
                    || graph.source(operand).is_none_or(|from| !is_scores(graph.node(from).operation))
            };
            if is_mask(b) { (a, smallvec![b.clone()]) } else { (b, smallvec![a.clone()]) }
        }
        (Operation::WhereCond(_), [mask, by, of]) if mask.0.dtype() == DType::U8 && by.1.is_constant() => {
            (of, smallvec![mask.clone(), by.clone()])
        }
        _ => return softened(graph, scores, covers),
    };
    covers.push(at);
    let scores = softened(graph, of, covers)?;
    Some(Scores { mask, ..scores })
}

fn is_scores(operation: &Operation) -> bool {
    matches!(operation, Operation::MatMul(_) | Operation::Affine(Affine { .. }))
}

/// `tanh(q k^T * a) * b`, or without tanh.
fn softened(graph: &Graph<'_>, scores: &Argument, covers: &mut Covers) -> Option<Scores> {
    let (outer, of) = scaled(graph, scores, covers);
    if let Some((tanh, Operation::Unary(Unary { kernel: "utanh", .. }), [inside])) = graph.only_for(&of) {
        covers.push(tanh);
        let scores = product(graph, inside, covers)?;
        return Some(Scores { softcapping: Some(outer), scale: scores.scale * outer, ..scores });
    }
    let scores = product(graph, &of, covers)?;
    Some(Scores { scale: scores.scale * outer, ..scores })
}

/// `q k^T`, of which each may have been multiplied by a number.
fn product(graph: &Graph<'_>, scores: &Argument, covers: &mut Covers) -> Option<Scores> {
    let (outer, of) = scaled(graph, scores, covers);
    let (at, Operation::MatMul(_), [q, k]) = graph.only_for(&of)? else { return None };
    covers.push(at);
    let ((of_q, q), (of_k, k)) = (scaled(graph, q, covers), scaled(graph, k, covers));
    let (rank, scale) = (k.1.dims().len(), outer * of_q * of_k);
    let k = (k.0, View::new(k.1.transpose(rank.checked_sub(2)?, rank - 1).ok()?));
    Some(Scores { q, k, scale, softcapping: None, mask: SmallVec::new() })
}

/// What was multiplied by numbers, each a normal one of f32, and their product.
fn scaled(graph: &Graph<'_>, operand: &Argument, covers: &mut Covers) -> (f64, Argument) {
    let (mut by, mut operand) = (1.0, operand.clone());
    while let Some((at, &Operation::Affine(Affine { mul, add: 0.0 }), [of])) = graph.only_for(&operand)
        && of.1.dims() == operand.1.dims()
        && (mul as f32).is_normal()
    {
        covers.push(at);
        (by, operand) = (by * mul, of.clone());
    }
    (by, operand)
}

/// As `[batch, heads, rows, columns]`; of three dimensions, the first is the batch.
fn in_heads((value, view): &Argument) -> Option<Argument> {
    let (dims, stride) = (view.dims(), view.stride());
    match dims.len() {
        4 => Some((*value, view.clone())),
        3 => {
            let (mut dims, mut stride) = (dims.to_vec(), stride.to_vec());
            dims.insert(1, 1);
            stride.insert(1, dims[2].saturating_mul(stride[1]));
            Some((*value, View::new(Layout::new(dims.into(), stride, view.start_offset()))))
        }
        _ => None,
    }
}

/// What was converted from `dtype` to f32.
fn converted(graph: &Graph<'_>, operand: &Argument, dtype: DType, covers: &mut Covers) -> Option<Argument> {
    let (cast, Operation::Cast(Cast(DType::F32)), [(value, view)]) = graph.only_for(operand)? else {
        return None;
    };
    if value.dtype() != dtype || !(view.is_contiguous() || view.shape() == operand.1.shape()) {
        return None;
    }
    covers.push(cast);
    Some((*value, view.reshaped(&operand.1)))
}

/// Keys and values of fewer heads, where neighbouring heads have copies of one: of what was concatenated with itself.
fn shared(graph: &Graph<'_>, [q, k, v]: [Argument; 3], covers: &mut Covers) -> [Argument; 3] {
    let unrepeated = |repeated: &Argument| {
        let (cat, Operation::Cat(Cat { dim: 2 }), copies) = graph.only_for(repeated)? else { return None };
        let of = copies.first()?;
        let (&[b, heads, s, d], &[b_kv, kv_heads, s_kv, d_kv]) = (repeated.1.dims(), of.1.dims()) else {
            return None;
        };
        let same = copies.iter().all(|copy| is_same(copy, of));
        let fits = same && (b, s, d) == (b_kv, s_kv, d_kv) && heads == kv_heads * copies.len();
        fits.then(|| (cat, of.clone()))
    };
    match (unrepeated(&k), unrepeated(&v)) {
        (Some((k_cat, k_of)), Some((v_cat, v_of))) if k_of.1.dims()[1] == v_of.1.dims()[1] => {
            covers.extend([k_cat, v_cat]);
            [q, k_of, v_of]
        }
        _ => [q, k, v],
    }
}
