//! The activation behind a group norm, as in the blocks of diffusion models and their decoders.

use smallvec::{SmallVec, smallvec};

use super::{Found, Graph, Joined, Replaced, Results};
use crate::elementwise::unary::Unary;
use crate::fusion::Operation;
use crate::fusion::graph::{Argument, Slot};
use crate::nn::group_norm::GroupNorm;
use crate::nn::group_norm::{self, Wanted};
use crate::{Result, RocmDevice, RocmStorage};

pub(super) const OP: &str = "group-norm-silu";

/// The call that replaces both.
#[derive(Debug)]
pub(in crate::fusion) struct Call {
    /// x, alpha and beta.
    operands: SmallVec<[Argument; 3]>,
    groups: usize,
    eps: f64,
    result: Slot,
    /// The norm, if somebody reads it.
    norm: Option<Slot>,
}

impl Call {
    pub(super) fn run(&self, device: &RocmDevice, replaced: Replaced<'_>) -> Result<Option<Results>> {
        let wanted = if self.norm.is_some() { Wanted::Both } else { Wanted::Silu };
        let both = replaced.with_operands(device, &self.operands, |operands| {
            let &[x, alpha, beta] = operands else { return Ok(None) };
            device.observe(OP, operands, || {
                let (silu, norm) = group_norm::run(x, [alpha, beta], self.groups, self.eps, wanted)?;
                let slices = [silu].into_iter().chain(norm).map(RocmStorage::into_slice);
                slices.collect::<Result<SmallVec<[_; 2]>>>().map(Some)
            })
        })?;
        let Some(written) = both else { return Ok(None) };
        let values = [&self.result].into_iter().chain(&self.norm);
        Ok(Some(values.cloned().zip(written).collect()))
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
    let &Operation::GroupNorm(GroupNorm { groups, eps }) = norm.operation else { return None };
    let read_by_others = !graph.is_only_read_by(at, &[i]);
    let written = if read_by_others { &[at, i][..] } else { &[i] };
    let cover = graph.cover(smallvec![at, i], written, i).filter(|_| of.1.is_whole(norm.result.len()))?;
    let call = Call {
        operands: norm.operands.clone(),
        groups,
        eps,
        result: node.result,
        norm: read_by_others.then_some(norm.result),
    };
    Some(Found { join: Joined::GroupNorm(call), cover })
}
