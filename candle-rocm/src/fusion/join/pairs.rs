//! What is done to queries and keys, or to keys and values, alike: rotary embeddings, and caches that grow.

use smallvec::smallvec;

use super::{Found, Graph, Joined, Replaced, Results};
use crate::fusion::Operation;
use crate::fusion::graph::{Argument, Slot, is_same};
use crate::layout::cat::Cat;
use crate::nn::rotary::{Arrangement, rotary_pair};
use crate::{Result, RocmDevice, RocmStorage};

/// Operations among which the other of a pair is looked for.
const NEAR: usize = 8;

/// The call that replaces both.
#[derive(Debug)]
pub(in crate::fusion) struct Call {
    kind: Kind,
    operands: Vec<Argument>,
    results: [Slot; 2],
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    /// Two tensors, cos and sin.
    Rope(Arrangement),
    /// Twice two tensors.
    Cat { dim: usize },
}

impl Call {
    pub(super) fn name(&self) -> &'static str {
        match self.kind {
            Kind::Rope(_) => "rope-pair",
            Kind::Cat { .. } => "cat-pair",
        }
    }

    pub(super) fn run(&self, device: &RocmDevice, replaced: Replaced<'_>) -> Result<Option<Results>> {
        let op = self.name();
        let pair = replaced.with_operands(device, &self.operands, |operands| {
            device.observe(op, operands, || match (self.kind, operands) {
                (Kind::Rope(arrangement), &[a, b, cos, sin]) => {
                    rotary_pair(arrangement, op, [a, b], cos, sin)
                }
                (Kind::Cat { dim }, &[a, b, c, d]) => RocmStorage::cat_pair([[a, b], [c, d]], dim),
                _ => Ok(None),
            })
        })?;
        let Some([first, second]) = pair else { return Ok(None) };
        let [of_first, of_second] = self.results;
        Ok(Some(smallvec![(of_first, first.into_slice()?), (of_second, second.into_slice()?)]))
    }
}

/// `i` is the second of the pair. The first one comes later than it would by itself.
pub(super) fn find(_: &RocmDevice, graph: &Graph<'_>, i: usize) -> Option<Found> {
    let second = graph.node(i);
    if !matches!(second.operation, Operation::Rope(_) | Operation::Cat(_)) {
        return None;
    }
    for j in (i.saturating_sub(NEAR)..i).rev() {
        let first = graph.node(j);
        let (kind, operands) =
            match (first.operation, &first.operands[..], second.operation, &second.operands[..]) {
                (
                    Operation::Rope(arrangement),
                    [a, cos, sin],
                    Operation::Rope(other),
                    [b, other_cos, other_sin],
                ) if arrangement == other && is_same(cos, other_cos) && is_same(sin, other_sin) => {
                    (Kind::Rope(*arrangement), vec![a.clone(), b.clone(), cos.clone(), sin.clone()])
                }
                (Operation::Cat(Cat { dim }), [a, b], Operation::Cat(Cat { dim: other }), [c, d])
                    if dim == other =>
                {
                    (Kind::Cat { dim: *dim }, [a, b, c, d].map(Argument::clone).to_vec())
                }
                _ => continue,
            };
        let Some(cover) = graph.cover(smallvec![j, i], &[j, i], i) else { continue };
        let results = [first.result, second.result];
        return Some(Found { join: Joined::Pair(Call { kind, operands, results }), cover });
    }
    None
}
