//! What is done to queries and keys, or to keys and values, alike: rotary embeddings, and KV appends.

use smallvec::smallvec;

use super::{Found, Graph, Joined, Place, Slices, slices};
use crate::common::operand::Operand;
use crate::fusion::Operation;
use crate::fusion::graph::{Argument, is_same};
use crate::layout::cat::Cat;
use crate::nn::rotary::{Arrangement, rotary_pair};
use crate::{Result, RocmDevice, RocmStorage};

/// Operations among which the other of a pair is looked for.
const NEAR: usize = 8;

#[derive(Clone, Copy, Debug)]
enum Pair {
    /// Of two tensors, cos and sin.
    Rope(Arrangement),
    /// Of twice two tensors.
    Cat { dim: usize },
}

impl Joined for Pair {
    fn name(&self) -> &'static str {
        match self {
            Self::Rope(_) => "rope-pair",
            Self::Cat { .. } => "cat-pair",
        }
    }

    fn run(&self, _: Place<'_>, operands: &[Operand<'_>]) -> Result<Option<Slices>> {
        let &[a, b, c, d] = operands else { return Ok(None) };
        let pair = match *self {
            Self::Rope(arrangement) => rotary_pair(arrangement, [a, b], c, d)?,
            Self::Cat { dim } => RocmStorage::cat_pair([[a, b], [c, d]], dim)?,
        };
        pair.map(slices).transpose()
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
        let (pair, operands) =
            match (first.operation, &first.operands[..], second.operation, &second.operands[..]) {
                (
                    Operation::Rope(arrangement),
                    [a, cos, sin],
                    Operation::Rope(other),
                    [b, other_cos, other_sin],
                ) if arrangement == other && is_same(cos, other_cos) && is_same(sin, other_sin) => {
                    (Pair::Rope(*arrangement), [a, b, cos, sin])
                }
                (Operation::Cat(Cat { dim }), [a, b], Operation::Cat(Cat { dim: other }), [c, d])
                    if dim == other =>
                {
                    (Pair::Cat { dim: *dim }, [a, b, c, d])
                }
                _ => continue,
            };
        let Some(cover) = graph.cover(smallvec![j, i], &[j, i], i) else { continue };
        let results = [first.result, second.result];
        return Found::new(pair, operands.map(Argument::clone), results, cover);
    }
    None
}
