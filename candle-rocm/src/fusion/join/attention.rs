//! Attention as models spell it: `softmax(q k^T * scale + mask) v`, with softmax as one operation or as candle_nn's five, with tanh around
//! the scores (softcapping), with a mask that is added or that selects scores, with products or weights in f32, and with heads of keys and
//! values repeated. Keys and values that are kept in F8E4M3 and cast before are read as they are kept, where a kernel does so; this also
//! before attention that is one operation already.

use candle_core::op::ReduceOp;
use candle_core::{DType, Layout};
use smallvec::{SmallVec, smallvec};

use super::attends::Attends;
use super::heads::Masks;
use super::{Found, Graph, heads, kv_append};
use crate::RocmDevice;
use crate::attention::{Attention, Axes, FullyMasked, Weights};
use crate::dtype::DTypeExt;
use crate::elementwise::affine::Affine;
use crate::elementwise::binary::Binary;
use crate::elementwise::cast::Cast;
use crate::elementwise::unary::Unary;
use crate::fusion::Operation;
use crate::fusion::graph::{Argument, Covers, View, is_same};
use crate::layout::cat::Cat;
use crate::reduce::Reduce;

/// What scores are made of, before softmax.
struct Scores {
    q: Argument,
    /// `[.., s, d]`.
    k: Argument,
    scale: f64,
    softcapping: Option<f64>,
    /// The mask, and what it selects.
    mask: Masks,
}

/// `i` is the product with v.
pub(super) fn find(device: &RocmDevice, graph: &Graph<'_>, i: usize) -> Option<Found> {
    let node = graph.node(i);
    let (Operation::MatMul(_), [weights, v]) = (node.operation, &node.operands[..]) else { return None };
    let mut covers: Covers = smallvec![i];
    let mut weights = weights;
    let mut converted_weights = false;
    if let (cast, Operation::Cast(_), [of]) = graph.only_for(weights)? {
        covers.push(cast);
        (weights, converted_weights) = (of, true);
    }
    let (mut scores, mut readers) = softmax_of(graph, weights, &mut covers)?;
    // Rows are moved as a whole, if at all.
    if scores.1.dims().last() != node.operands[0].1.dims().last() {
        return None;
    }
    if converted_weights {
        let (cast, Operation::Cast(Cast(DType::F32)), [of]) = graph.only_for_these(scores, &readers)? else {
            return None;
        };
        if of.0.dtype() != v.0.dtype() {
            return None;
        }
        covers.push(cast);
        (scores, readers) = (of, smallvec![cast]);
    }
    let Scores { q, k, scale, softcapping, mask } = masked_scores(graph, scores, &readers, &mut covers)?;
    let (scale, softcapping) = (scale as f32, softcapping.map(|cap| cap as f32));
    // Beyond f32's range, steps give what their product does not.
    if !scale.is_normal() || softcapping.is_some_and(|cap| !cap.is_normal()) {
        return None;
    }
    // One by one, softmax gives NaN where all keys are masked.
    let attention = Attention { scale, softcapping, causal: false, fully_masked: FullyMasked::Nan };
    let given = [in_heads(&q)?, in_heads(&k)?, in_heads(v)?];
    let mask = mask.iter().map(in_heads).collect::<Option<Masks>>()?;
    // `at` gives the result, but for what follows it.
    let read = |operands: &[Argument; 3], weights, mut covers: Covers, at: usize, casts| {
        let (operands, mask) = in_place(graph, operands.clone(), mask.clone(), casts, &mut covers);
        let copy = heads::written_in_place(graph, &operands, at);
        covers.extend(copy);
        let (axes, at) = copy.map_or((Axes::Bhtd, at), |copy| (Axes::Bthd, copy));
        let attends = Attends { attention, weights, axes, rounds: true };
        if mask.is_empty()
            && let Some(found) = kv_append::with_attention(graph, &operands, attends, &covers, at)
        {
            return Some(found);
        }
        attends.in_place_of(device, graph, operands.into_iter().chain(mask).collect(), covers, at)
    };
    let found = |operands: [Argument; 3], weights, covers: Covers, at: usize| {
        read(&operands, weights, covers.clone(), at, Casts::ReadThrough)
            .or_else(|| read(&operands, weights, covers, at, Casts::Apart))
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
            converted(graph, q, [dtype, DType::F32], &mut covers),
            converted(graph, k, [dtype, DType::F32], &mut covers),
            converted(graph, v, [dtype, DType::F32], &mut covers),
        ) {
            covers.push(back);
            return found([q, k, v], Weights::Split, covers, back);
        }
    }
    found(given, Weights::Rounded, covers, i)
}

/// `i` is attention as one operation, of keys and values that were cast for it.
pub(super) fn find_called(device: &RocmDevice, graph: &Graph<'_>, i: usize) -> Option<Found> {
    let (&Operation::Sdpa(attention), [q, k, v, mask @ ..]) = of(graph, i) else { return None };
    let (given, mut covers) = ([q, k, v].map(Argument::clone), smallvec![i]);
    let (operands, mask) =
        in_place(graph, given, mask.iter().cloned().collect(), Casts::ReadThrough, &mut covers);
    let attends = Attends { attention, weights: Weights::Rounded, axes: Axes::Bhtd, rounds: false };
    let in_f8 = operands[1].0.dtype() == DType::F8E4M3;
    let operands = operands.into_iter().chain(mask).collect();
    if in_f8 { attends.in_place_of(device, graph, operands, covers, i) } else { None }
}

/// Casts of keys and values from F8E4M3.
#[derive(Clone, Copy)]
enum Casts {
    /// Their operands are read.
    ReadThrough,
    /// Their results are read.
    Apart,
}

/// q, k and v where they were before heads were repeated or moved, and masks for them.
fn in_place(
    graph: &Graph<'_>,
    operands: [Argument; 3],
    masks: Masks,
    casts: Casts,
    covers: &mut Covers,
) -> ([Argument; 3], Masks) {
    let through = |[q, k, v]: [Argument; 3], covers: &mut Covers| {
        let dtypes = [DType::F8E4M3, q.0.dtype()];
        let mut before = |x: Argument| match casts {
            Casts::ReadThrough => converted(graph, &x, dtypes, covers).unwrap_or(x),
            Casts::Apart => x,
        };
        let (k, v) = (before(k), before(v));
        [q, k, v]
    };
    // Before heads are repeated or moved, or behind it.
    let operands = through(operands, covers);
    let operands = shared(graph, operands, covers);
    let operands = through(operands, covers);
    let (operands, masks) = heads::read_in_place(graph, operands, masks, covers);
    (through(operands, covers), masks)
}

/// Operations that read the same, each of them once.
type Readers = SmallVec<[usize; 2]>;

/// What weights are the softmax of, along the last dimension, and who reads that.
fn softmax_of<'a>(
    graph: &Graph<'a>,
    weights: &Argument,
    covers: &mut Covers,
) -> Option<(&'a Argument, Readers)> {
    match graph.only_for(weights)? {
        (softmax, Operation::Softmax(_), [scores]) => {
            covers.push(softmax);
            Some((scores, smallvec![softmax]))
        }
        // `exp(x - max(x)) / sum(exp(x - max(x)))`, as candle_nn has it.
        (quotient, Operation::Binary(Binary { kernel: "bdiv", .. }), [powers, total]) => {
            let sum = reduced(graph, total, ReduceOp::Sum, powers)?;
            let (exp, Operation::Unary(Unary { kernel: "uexp", .. }), [shifted]) =
                graph.only_for_these(powers, &[sum, quotient])?
            else {
                return None;
            };
            let (minus, Operation::Binary(Binary { kernel: "bsub", .. }), [scores, largest]) =
                graph.only_for(shifted)?
            else {
                return None;
            };
            let max = reduced(graph, largest, ReduceOp::Max, scores)?;
            let same_rows = powers.1.dims().last() == scores.1.dims().last();
            covers.extend([quotient, sum, exp, minus, max]);
            same_rows.then(|| (scores, smallvec![max, minus]))
        }
        _ => None,
    }
}

fn of<'a>(graph: &Graph<'a>, i: usize) -> (&'a Operation, &'a [Argument]) {
    let node = graph.node(i);
    (node.operation, &node.operands)
}

/// The operation that gives `result`, if that is a reduction of the last dimension of `x`, repeated along it.
fn reduced(graph: &Graph<'_>, result: &Argument, op: ReduceOp, x: &Argument) -> Option<usize> {
    let at = graph.source(result)?;
    let (Operation::Reduce(Reduce { op: by, dims: along }), [operand]) = of(graph, at) else { return None };
    let last = result.1.dims().len().checked_sub(1)?;
    let repeated = result.1.is_repeated(last) && result.1.dims() == x.1.dims();
    let same = *by == op && along[..] == [last] && is_same(operand, x);
    (same && repeated).then_some(at)
}

/// Scores to which a mask is added, or of which one selects, or without a mask.
fn masked_scores(
    graph: &Graph<'_>,
    scores: &Argument,
    readers: &[usize],
    covers: &mut Covers,
) -> Option<Scores> {
    let (at, operation, operands) = graph.only_for_these(scores, readers)?;
    let (of, mask): (&Argument, Masks) = match (operation, operands) {
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
        _ => return softened(graph, scores, readers, covers),
    };
    covers.push(at);
    let scores = softened(graph, of, &[at], covers)?;
    Some(Scores { mask, ..scores })
}

fn is_scores(operation: &Operation) -> bool {
    matches!(operation, Operation::MatMul(_) | Operation::Affine(Affine { .. }))
}

/// `tanh(q k^T * a) * b`, or without tanh.
fn softened(graph: &Graph<'_>, scores: &Argument, readers: &[usize], covers: &mut Covers) -> Option<Scores> {
    let (outer, of, readers) = scaled(graph, scores, readers, covers);
    if let Some((tanh, Operation::Unary(Unary { kernel: "utanh", .. }), [inside])) =
        graph.only_for_these(&of, &readers)
    {
        covers.push(tanh);
        let scores = product(graph, inside, &[tanh], covers)?;
        return Some(Scores { softcapping: Some(outer), scale: scores.scale * outer, ..scores });
    }
    let scores = product(graph, &of, &readers, covers)?;
    Some(Scores { scale: scores.scale * outer, ..scores })
}

/// `q k^T`, of which each may have been multiplied by a number.
fn product(graph: &Graph<'_>, scores: &Argument, readers: &[usize], covers: &mut Covers) -> Option<Scores> {
    let (outer, of, readers) = scaled(graph, scores, readers, covers);
    let (at, Operation::MatMul(_), [q, k]) = graph.only_for_these(&of, &readers)? else { return None };
    covers.push(at);
    let ((of_q, q, _), (of_k, k, _)) = (scaled(graph, q, &[at], covers), scaled(graph, k, &[at], covers));
    let (rank, scale) = (k.1.dims().len(), outer * of_q * of_k);
    let k = (k.0, View::new(k.1.transpose(rank.checked_sub(2)?, rank - 1).ok()?));
    Some(Scores { q, k, scale, softcapping: None, mask: Masks::new() })
}

/// What was multiplied by numbers, each a normal one of f32, their product, and who reads what they multiply.
fn scaled(
    graph: &Graph<'_>,
    operand: &Argument,
    readers: &[usize],
    covers: &mut Covers,
) -> (f64, Argument, Readers) {
    let (mut by, mut operand, mut readers) = (1.0, operand.clone(), Readers::from_slice(readers));
    while let Some((at, &Operation::Affine(Affine { mul, add: 0.0 }), [of])) =
        graph.only_for_these(&operand, &readers)
        && of.1.dims() == operand.1.dims()
        && (mul as f32).is_normal()
    {
        covers.push(at);
        (by, operand, readers) = (by * mul, of.clone(), smallvec![at]);
    }
    (by, operand, readers)
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

/// What was converted from one dtype to another for this operand alone.
fn converted(
    graph: &Graph<'_>,
    operand: &Argument,
    [from, to]: [DType; 2],
    covers: &mut Covers,
) -> Option<Argument> {
    let cast = graph.source(operand)?;
    let (&Operation::Cast(Cast(dtype)), [(value, view)]) = of(graph, cast) else { return None };
    // A copy of heads reads it as often as it repeats them.
    let alone = graph.is_free(cast) && graph.is_only_read_by(cast, covers);
    if !alone || [value.dtype(), dtype] != [from, to] {
        return None;
    }
    let view = view.before_copy(&operand.1)?;
    covers.push(cast);
    Some((*value, view))
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
