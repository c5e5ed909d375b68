//! What a decoder does to a step's queries, keys and values: rotary embeddings of queries and keys, caches that keys and values extend,
//! and, in the same launch for one time step, attention.

use std::sync::Arc;

use smallvec::smallvec;

use super::{Found, Graph, Joined, Replaced, Results};
use crate::attention::{Attention, Axes, Weights, sdpa_with};
use crate::common::operand::Operand;
use crate::fusion::Operation;
use crate::fusion::graph::{Argument, Covers, Slot, View, is_same};
use crate::layout::cat::Cat;
use crate::nn::rope_cat::{TIME, rotate_and_append};
use crate::nn::rope_cat_sdpa::step_with;
use crate::nn::rotary::Arrangement;
use crate::{Result, RocmDevice, RocmStorage};

/// Operations before the last one among which the others are looked for.
const NEAR: usize = 16;

/// The call that replaces them.
#[derive(Debug)]
pub(in crate::fusion) struct Call {
    arrangement: Arrangement,
    /// q, k, v, cos, sin, and the caches of keys and of values.
    operands: [Argument; 7],
    attends: Option<Attends>,
    /// The rotated queries, or what attention makes of them; all keys, all values.
    results: [Slot; 3],
}

/// Attention of the rotated queries to all keys and values.
#[derive(Debug)]
struct Attends {
    attention: Attention,
    weights: Weights,
    axes: Axes,
    /// How it reads queries, keys and values, all of them contiguous.
    views: [Arc<View>; 3],
}

impl Call {
    pub(super) fn name(&self) -> &'static str {
        if self.attends.is_some() { "rope-cat-sdpa" } else { "rope-cat" }
    }

    pub(super) fn run(&self, device: &RocmDevice, replaced: Replaced<'_>) -> Result<Option<Results>> {
        let op = self.name();
        let step = replaced.with_operands(device, &self.operands, |operands| match *operands {
            [q, k, v, cos, sin, keys, values] => {
                device.observe(op, operands, || self.step(op, [q, k, v], [cos, sin], [keys, values]))
            }
            _ => Ok(None),
        })?;
        let Some(step) = step else { return Ok(None) };
        let slices = self.results.iter().copied().zip(step);
        slices.map(|(value, storage)| Ok((value, storage.into_slice()?))).collect::<Result<_>>().map(Some)
    }

    fn step(
        &self,
        op: &'static str,
        step: [Operand<'_>; 3],
        angles: [Operand<'_>; 2],
        caches: [Operand<'_>; 2],
    ) -> Result<Option<[RocmStorage; 3]>> {
        let arrangement = self.arrangement;
        let apart = || rotate_and_append(arrangement, op, step, angles, caches);
        let Some(Attends { attention, weights, axes, views }) = &self.attends else { return apart() };
        if let Some(all) = step_with(arrangement, op, step, angles, caches, *attention, *axes)? {
            return Ok(Some(all));
        }
        let Some([q, k, v]) = apart()? else { return Ok(None) };
        let out = sdpa_with(
            [(&q, &views[0]), (&k, &views[1]), (&v, &views[2])],
            None,
            *attention,
            *weights,
            *axes,
        )?;
        Ok(Some([out, k, v]))
    }
}

/// `i` is the concatenation of values, the last of them.
pub(super) fn find(_: &RocmDevice, graph: &Graph<'_>, i: usize) -> Option<Found> {
    let (values, v) = extended(graph, i)?;
    let near = || (i.saturating_sub(NEAR)..i).rev();
    let (of_keys, keys, k) = near().filter(|&j| graph.is_free(j)).find_map(|j| {
        let (keys, k) = extended(graph, j)?;
        (keys.1.dims() == values.1.dims()).then_some((j, keys, k))
    })?;
    let (of_k, &Operation::Rope(arrangement), [k, cos, sin]) = graph.only_for(k)? else { return None };
    if arrangement == Arrangement::Thd || k.1.dims() != v.1.dims() {
        return None;
    }
    let (of_q, q, cover) = near().filter(|&j| j != of_k).find_map(|j| {
        let node = graph.node(j);
        match (node.operation, &node.operands[..]) {
            (&Operation::Rope(other), [q, of_cos, of_sin])
                if other == arrangement && is_same(cos, of_cos) && is_same(sin, of_sin) =>
            {
                // Each of them comes later than it would by itself.
                Some((j, q, graph.cover(smallvec![j, of_k, of_keys, i], &[j, of_keys, i], i)?))
            }
            _ => None,
        }
    })?;
    let operands = [q, k, v, cos, sin, keys, values].map(Argument::clone);
    let results = [of_q, of_keys, i].map(|of| graph.node(of).result);
    Some(Found { join: Joined::Step(Call { arrangement, operands, attends: None, results }), cover })
}

/// Attention in place of `at`, which with `covers` gives all that becomes of q, of one time step, and reads k and v: with what comes
/// before it.
pub(super) fn with_attention(
    graph: &Graph<'_>,
    [q, k, v]: &[Argument; 3],
    (attention, weights, axes): (Attention, Weights, Axes),
    covers: &Covers,
    at: usize,
) -> Option<Found> {
    let (of_q, &Operation::Rope(arrangement), [queries, cos, sin]) = graph.only_for(q)? else { return None };
    let one_step = |x: &Argument| x.1.dims().get(TIME) == Some(&1);
    if arrangement == Arrangement::Thd || q.1.dims() != queries.1.dims() || !one_step(q) {
        return None;
    }
    let grown = |x: &Argument| {
        let i = graph.source(x)?;
        let (cache, new) = extended(graph, i)?;
        let whole = x.1.is_whole(graph.node(i).result.len()) && x.1.dims()[1] == cache.1.dims()[1];
        (whole && one_step(new)).then_some((i, cache, new))
    };
    let ((of_keys, keys, new_keys), (of_values, values, new_values)) = (grown(k)?, grown(v)?);
    let (of_k, &Operation::Rope(other), [new, of_cos, of_sin]) = graph.only_for(new_keys)? else {
        return None;
    };
    let alike = keys.1.dims() == values.1.dims() && new.1.dims() == new_values.1.dims();
    if other != arrangement || !alike || !is_same(cos, of_cos) || !is_same(sin, of_sin) {
        return None;
    }
    let mut covers = covers.clone();
    covers.extend([of_q, of_k, of_keys, of_values]);
    let cover = graph.cover(covers, &[at, of_keys, of_values], at)?;
    let operands = [queries, new, new_values, cos, sin, keys, values].map(Argument::clone);
    let views = [q, k, v].map(|(_, view)| view.clone());
    let attends = Some(Attends { attention, weights, axes, views });
    let results = [at, of_keys, of_values].map(|of| graph.node(of).result);
    Some(Found { join: Joined::Step(Call { arrangement, operands, attends, results }), cover })
}

/// A cache, and what is put behind it.
fn extended<'a>(graph: &Graph<'a>, i: usize) -> Option<(&'a Argument, &'a Argument)> {
    let node = graph.node(i);
    match (node.operation, &node.operands[..]) {
        (Operation::Cat(Cat { dim: TIME }), [cache, new]) if new.1.dims().len() == 4 => Some((cache, new)),
        _ => None,
    }
}
