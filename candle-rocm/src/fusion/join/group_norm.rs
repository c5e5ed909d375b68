//! The activation behind a group norm, as in the blocks of diffusion models and their decoders.

use smallvec::smallvec;

use super::{Found, Graph, Joined, Place, Slices, slices};
use crate::common::operand::Operand;
use crate::elementwise::unary::Unary;
use crate::fusion::Operation;
use crate::nn::group_norm::{GroupNorm, Wanted, group_norm_with};
use crate::{Result, RocmDevice};

/// The activation, and the norm if somebody reads it, of x, alpha and beta.
#[derive(Debug)]
struct NormAndSilu(GroupNorm);

impl Joined for NormAndSilu {
    fn name(&self) -> &'static str {
        "group-norm-silu"
    }

    fn run(&self, on: Place<'_>, operands: &[Operand<'_>]) -> Result<Option<Slices>> {
        let (&[x, alpha, beta], Self(GroupNorm { groups, eps })) = (operands, self) else { return Ok(None) };
        let wanted = if on.results.len() > 1 { Wanted::Both } else { Wanted::Silu };
        let (silu, norm) = group_norm_with(x, [alpha, beta], *groups, *eps, wanted)?;
        slices([silu].into_iter().chain(norm)).map(Some)
    }
}

/// `i` is the activation. A norm that a tensor still has, as one does in `conv(&silu(&norm(x)?)?)`, is written as well.
pub(super) fn find(_: &RocmDevice, graph: &Graph<'_>, i: usize) -> Option<Found> {
    let node = graph.node(i);
    let (Operation::Unary(Unary { kernel: "usilu", .. }), [of]) = (node.operation, &node.operands[..]) else {
        return None;
    };
    let at = graph.source(of)?;
    let norm = graph.node(at);
    let &Operation::GroupNorm(group_norm) = norm.operation else { return None };
    let read_by_others = !graph.is_only_read_by(at, &[i]);
    let written = if read_by_others { &[at, i][..] } else { &[i] };
    let cover = graph.cover(smallvec![at, i], written, i).filter(|_| of.1.is_whole(norm.result.len()))?;
    let results = [node.result].into_iter().chain(read_by_others.then_some(norm.result));
    Found::new(NormAndSilu(group_norm), norm.operands.iter().cloned(), results, cover)
}
