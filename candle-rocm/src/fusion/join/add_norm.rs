//! A residual connection and the norm behind it: `norm(a + b)`, where the sum is read again later.

use smallvec::{SmallVec, smallvec};

use super::{Found, Graph, Joined, Replaced, Results};
use crate::elementwise::binary::Binary;
use crate::fusion::Operation;
use crate::fusion::graph::{Argument, Slot};
use crate::nn::norm::LayerNorm;
use crate::nn::norm::RmsNorm;
use crate::nn::norm::add_norm;
use crate::{Result, RocmDevice};

pub(super) const OP: &str = "add-norm";

/// The call that replaces both.
#[derive(Debug)]
pub(in crate::fusion) struct Call {
    /// What is added, and the norm's parameters.
    operands: SmallVec<[Argument; 4]>,
    eps: f32,
    centred: bool,
    /// The sum, and its norm.
    results: [Slot; 2],
}

impl Call {
    pub(super) fn run(&self, device: &RocmDevice, replaced: Replaced<'_>) -> Result<Option<Results>> {
        let joined = replaced.with_operands(device, &self.operands, |operands| {
            let (beta, eps, centred) = (operands.get(3).copied(), self.eps, self.centred);
            device.observe(OP, operands, || {
                add_norm(OP, operands[0], operands[1], Some(operands[2]), beta, eps, centred)
            })
        })?;
        let Some([sum, norm]) = joined else { return Ok(None) };
        let [of_sum, of_norm] = self.results;
        Ok(Some(smallvec![(of_sum, sum.into_slice()?), (of_norm, norm.into_slice()?)]))
    }
}

/// A norm, and the sum that it is of.
pub(super) struct NormOfSum {
    pub(super) eps: f32,
    pub(super) centred: bool,
    /// The addition.
    pub(super) add: usize,
    /// What is added, and the norm's parameters.
    pub(super) operands: SmallVec<[Argument; 4]>,
}

/// `i` is a norm of a sum.
pub(super) fn of_sum(graph: &Graph<'_>, i: usize) -> Option<NormOfSum> {
    let node = graph.node(i);
    let (eps, centred) = match node.operation {
        Operation::RmsNorm(RmsNorm { eps }) => (*eps, false),
        Operation::LayerNorm(LayerNorm { eps }) => (*eps, true),
        _ => return None,
    };
    let [sum, parameters @ ..] = &node.operands[..] else { return None };
    let add = graph.source(sum)?;
    let (Operation::Binary(Binary { kernel: "badd", .. }), [a, b]) =
        (graph.node(add).operation, &graph.node(add).operands[..])
    else {
        return None;
    };
    if !sum.1.is_whole(sum.0.len()) || !a.1.is_contiguous() || !b.1.is_contiguous() {
        return None;
    }
    // The norm may see the sum in another shape.
    let shaped = |(value, view): &Argument| (*value, view.reshaped(&sum.1));
    let operands = [shaped(a), shaped(b)].into_iter().chain(parameters.iter().cloned()).collect();
    Some(NormOfSum { eps, centred, add, operands })
}

/// `i` is the norm.
pub(super) fn find(_: &RocmDevice, graph: &Graph<'_>, i: usize) -> Option<Found> {
    let NormOfSum { eps, centred, add, operands } = of_sum(graph, i)?;
    // The sum comes later than it would by itself.
    let cover = graph.cover(smallvec![add, i], &[add, i], i)?;
    let results = [graph.node(add).result, graph.node(i).result];
    Some(Found { join: Joined::AddNorm(Call { operands, eps, centred, results }), cover })
}
