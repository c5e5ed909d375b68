//! Heads that models move next to each other before attention, and back behind it: the kernel reads and writes them where they are.

use candle_core::Layout;
use smallvec::SmallVec;

use super::Graph;
use crate::fusion::Operation;
use crate::fusion::graph::{Argument, Covers, View};

/// A mask, and what it selects.
pub(super) type Masks = SmallVec<[Argument; 2]>;

/// q, k and v, each `[batch, heads, rows, columns]`, and masks: what was copied for attention alone is read from where it was. Models
/// that copy heads to the batch, `[batch * heads, 1, ..]`, have both again.
pub(super) fn read_in_place(
    graph: &Graph<'_>,
    given: [Argument; 3],
    masks: Masks,
    covers: &mut Covers,
) -> ([Argument; 3], Masks) {
    let copies = given.each_ref().map(|operand| copied(graph, operand));
    let sizes = |(_, view): &Argument| (view.dims()[0], view.dims()[1]);
    let sources = || copies.iter().flatten().map(|(_, from)| from);
    let in_batch = copies.iter().zip(&given).find_map(|(copy, operand)| {
        let (_, from) = copy.as_ref()?;
        (sizes(from) != sizes(operand)).then(|| sizes(from))
    });
    let (mut operands, masks) = match in_batch {
        None => (given, masks),
        Some((batch, heads)) => {
            let split = |of: &Argument| split_batch(of, batch, heads);
            let apart = || {
                let [q, k, v] = given.each_ref().map(split);
                let alike = sources().all(|from| sizes(from) == (batch, heads));
                alike.then_some(([q?, k?, v?], masks.iter().map(split).collect::<Option<Masks>>()?))
            };
            match apart() {
                Some(apart) => apart,
                None => return (given, masks),
            }
        }
    };
    for (operand, copy) in operands.iter_mut().zip(copies) {
        if let Some((at, from)) = copy {
            covers.push(at);
            *operand = from;
        }
    }
    (operands, masks)
}

/// The copy of four dimensions that an operand is, whose rows are dense where they are copied from.
fn copied(graph: &Graph<'_>, operand: &Argument) -> Option<(usize, Argument)> {
    let (at, Operation::Copy(_), [from]) = graph.only_for(operand)? else { return None };
    let (&[batch, heads, rows, columns], &[given_batch, given_heads, given_rows, given_columns]) =
        (from.1.dims(), operand.1.dims())
    else {
        return None;
    };
    let dense = from.1.stride()[3] == 1;
    let fits = batch * heads == given_batch * given_heads
        && (given_heads == heads || given_heads == 1)
        && (rows, columns) == (given_rows, given_columns);
    (dense && fits).then(|| (at, from.clone()))
}

/// `[batch * heads, 1, ..]` as `[batch, heads, ..]`.
fn split_batch((value, view): &Argument, batch: usize, heads: usize) -> Option<Argument> {
    let (&[both, 1, rows, columns], &[step, _, row, column]) = (view.dims(), view.stride()) else {
        return None;
    };
    // One for all stays so.
    let (batch, heads) = if both == 1 { (1, 1) } else { (batch, heads) };
    let stride = vec![heads.checked_mul(step)?, step, row, column];
    let layout = Layout::new((batch, heads, rows, columns).into(), stride, view.start_offset());
    (both == batch * heads).then(|| (*value, View::new(layout)))
}

/// The only reader of the result of attention, `at`, if it is a copy that moves heads behind the queries.
pub(super) fn written_in_place(graph: &Graph<'_>, [q, _, v]: &[Argument; 3], at: usize) -> Option<usize> {
    let copy = graph.only_reader(at)?;
    let (Operation::Copy(_), [(value, view)]) = (graph.node(copy).operation, &graph.node(copy).operands[..])
    else {
        return None;
    };
    let (&[batch, heads, t, _], d_v) = (q.1.dims(), v.1.dims()[3]) else { return None };
    let layout = Layout::contiguous((batch, heads, t, d_v)).transpose(1, 2).ok()?;
    (*value == graph.node(at).result && graph.is_free(copy) && view.is_same(&layout)).then_some(copy)
}
