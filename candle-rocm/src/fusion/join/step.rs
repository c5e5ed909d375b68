//! What a decoder does to a step's queries, keys and values before attention: rotary embeddings of queries and keys, and caches that
//! keys and values extend.

use std::sync::Arc;

use smallvec::smallvec;

use super::graph::{Graph, is_same};
use super::{Found, Joined, Results, with_operands};
use crate::fusion::Operation;
use crate::fusion::window::Recorded;
use crate::nn::rope_cat::{TIME, rotate_and_append};
use crate::nn::rotary::Arrangement;
use crate::storage::Value;
use crate::{Result, RocmDevice};

/// Operations before the last one among which the others are looked for.
const NEAR: usize = 16;

/// The call that replaces them.
pub(in crate::fusion) struct Call {
    arrangement: Arrangement,
    /// q, k, v, cos, sin, and the caches of keys and of values.
    operands: [Recorded; 7],
    /// The rotated queries, all keys, all values.
    results: [Arc<Value>; 3],
}

impl Call {
    pub(super) fn run(&self, device: &RocmDevice) -> Result<Option<Results>> {
        const OP: &str = "rope-cat";
        let step = with_operands(device, &self.operands, |operands| match *operands {
            [q, k, v, cos, sin, keys, values] => device.observe(OP, operands, || {
                rotate_and_append(self.arrangement, OP, [q, k, v], [cos, sin], [keys, values])
            }),
            _ => Ok(None),
        })?;
        let Some(step) = step else { return Ok(None) };
        let slices = self.results.iter().cloned().zip(step);
        slices.map(|(value, storage)| Ok((value, storage.into_slice()?))).collect::<Result<_>>().map(Some)
    }
}

/// `i` is the concatenation of values, the last of them.
pub(super) fn find(_: &RocmDevice, graph: &Graph<'_>, i: usize) -> Option<Found> {
    let (values, v) = extended(graph, i)?;
    let near = || (i.saturating_sub(NEAR)..i).rev();
    // Each of them comes later than it would by itself.
    let read_later = |j: usize| graph.is_free(j) && graph.first_reader(j).is_none_or(|reader| reader > i);
    let (of_keys, keys, k) = near().filter(|&j| read_later(j)).find_map(|j| {
        let (keys, k) = extended(graph, j)?;
        (keys.1.dims() == values.1.dims()).then_some((j, keys, k))
    })?;
    let (of_k, &Operation::Rope(arrangement), [k, cos, sin]) = graph.only_for(k)? else { return None };
    if arrangement == Arrangement::Thd || k.1.dims() != v.1.dims() {
        return None;
    }
    let (of_q, q) = near().filter(|&j| j != of_k && read_later(j)).find_map(|j| {
        let node = graph.node(j);
        match (&node.operation, &node.operands[..]) {
            (&Operation::Rope(other), [q, of_cos, of_sin])
                if other == arrangement && is_same(cos, of_cos) && is_same(sin, of_sin) =>
            {
                Some((j, q))
            }
            _ => None,
        }
    })?;
    let operands = [q, k, v, cos, sin, keys, values].map(Recorded::clone);
    let results = [of_q, of_keys, i].map(|of| graph.node(of).result.clone());
    let join = Joined::Step(Call { arrangement, operands, results });
    Some(Found { join, covers: smallvec![of_q, of_k, of_keys, i], at: i })
}

/// A cache, and what is put behind it.
fn extended<'a>(graph: &Graph<'a>, i: usize) -> Option<(&'a Recorded, &'a Recorded)> {
    let node = graph.node(i);
    match (&node.operation, &node.operands[..]) {
        (Operation::Cat { dim: TIME }, [cache, new]) if new.1.dims().len() == 4 => Some((cache, new)),
        _ => None,
    }
}
