//! What a decoder does to a step's queries, keys and values: rotary embeddings of queries and keys, caches that keys and values extend,
//! and, in the same launch for one time step, attention.

use std::sync::Arc;

use smallvec::smallvec;

use super::attends::Attends;
use super::{Found, Graph, Joined, Place, Slices, slices};
use crate::attention::sdpa_with;
use crate::common::operand::Operand;
use crate::fusion::Operation;
use crate::fusion::graph::{Argument, Covers, View, is_same};
use crate::layout::cat::Cat;
use crate::nn::decoder_step::{DecoderStep, TIME};
use crate::nn::rotary::Arrangement;
use crate::{Result, RocmDevice};

/// Operations before the last one among which the others are looked for.
const NEAR: usize = 16;

/// The rotated queries, or what attention makes of them; all keys, all values. Of q, k, v, cos, sin, and the caches of keys and of
/// values.
#[derive(Debug)]
struct KvAppend {
    arrangement: Arrangement,
    attends: Option<Attended>,
}

/// Attention of the rotated queries to all keys and values, and how it reads queries, keys and values, all of them contiguous.
#[derive(Debug)]
struct Attended {
    by: Attends,
    views: [Arc<View>; 3],
}

impl Joined for KvAppend {
    fn name(&self) -> &'static str {
        if self.attends.is_some() { "rope-cat-sdpa" } else { "rope-cat" }
    }

    fn run(&self, _: Place<'_>, operands: &[Operand<'_>]) -> Result<Option<Slices>> {
        let &[q, k, v, cos, sin, keys, values] = operands else { return Ok(None) };
        let (angles, caches) = ([cos, sin], [keys, values]);
        let step = DecoderStep { arrangement: self.arrangement, q, k, v, angles, caches };
        if let Some(Attended { by: Attends { attention, axes, .. }, .. }) = self.attends
            && let Some(all) = step.attend(attention, axes)?
        {
            return slices(all).map(Some);
        }
        let Some(mut all) = step.rotate_and_append()? else { return Ok(None) };
        if let Some(Attended { by: Attends { attention, weights, axes, .. }, views: [q, k, v] }) =
            &self.attends
        {
            let given = [(&all[0], &***q), (&all[1], &***k), (&all[2], &***v)];
            all[0] = sdpa_with(given, None, *attention, *weights, *axes)?;
        }
        slices(all).map(Some)
    }
}

/// `i` is the concatenation of values, the last of them.
pub(super) fn find(_: &RocmDevice, graph: &Graph<'_>, i: usize) -> Option<Found> {
    let (values, v) = appends(graph, i)?;
    let near = || (i.saturating_sub(NEAR)..i).rev();
    let (of_keys, keys, k) = near().filter(|&j| graph.is_free(j)).find_map(|j| {
        let (keys, k) = appends(graph, j)?;
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
    Found::new(KvAppend { arrangement, attends: None }, operands, results, cover)
}

/// Attention in place of `at`, which with `covers` gives all that becomes of q, of one time step, and reads k and v: with what comes
/// before it.
pub(super) fn with_attention(
    graph: &Graph<'_>,
    [q, k, v]: &[Argument; 3],
    attends: Attends,
    covers: &Covers,
    at: usize,
) -> Option<Found> {
    let (of_q, &Operation::Rope(arrangement), [queries, cos, sin]) = graph.only_for(q)? else { return None };
    let one_step = |x: &Argument| x.1.dims().get(TIME) == Some(&1);
    if arrangement == Arrangement::Thd || q.1.dims() != queries.1.dims() || !one_step(q) {
        return None;
    }
    let appended = |x: &Argument| {
        let i = graph.source(x)?;
        let (cache, new) = appends(graph, i)?;
        let mut dims = x.1.dims().iter().zip(cache.1.dims()).enumerate();
        let longer = dims.all(|(dim, (&all, &kept))| all == kept + usize::from(dim == TIME));
        let whole = longer && x.1.is_whole(graph.node(i).result.len());
        (whole && one_step(new)).then_some((i, cache, new))
    };
    let ((of_keys, keys, new_keys), (of_values, values, new_values)) = (appended(k)?, appended(v)?);
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
    let attends = Some(Attended { by: attends, views });
    let results = [at, of_keys, of_values].map(|of| graph.node(of).result);
    Found::new(KvAppend { arrangement, attends }, operands, results, cover)
}

/// A cache, and what is put behind it.
fn appends<'a>(graph: &Graph<'a>, i: usize) -> Option<(&'a Argument, &'a Argument)> {
    let node = graph.node(i);
    match (node.operation, &node.operands[..]) {
        (Operation::Cat(Cat { dim: TIME }), [cache, new]) if new.1.dims().len() == 4 => Some((cache, new)),
        _ => None,
    }
}
