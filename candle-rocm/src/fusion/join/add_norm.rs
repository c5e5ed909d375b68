//! A residual connection and the norm behind it: `norm(a + b)`, where the sum is read again later.

use smallvec::{SmallVec, smallvec};

use super::{Found, Graph, Joined, Place, Slices, slices};
use crate::common::operand::Operand;
use crate::elementwise::binary::Binary;
use crate::fusion::Operation;
use crate::fusion::graph::Argument;
use crate::nn::AddNorm;
use crate::nn::norm::{LayerNorm, RmsNorm};
use crate::{Result, RocmDevice};

/// A sum and its norm, of what is added and the norm's parameters.
#[derive(Debug)]
struct SumAndNorm {
    eps: f32,
    centred: bool,
}

impl Joined for SumAndNorm {
    fn name(&self) -> &'static str {
        "add-norm"
    }

    fn run(&self, _: Place<'_>, operands: &[Operand<'_>]) -> Result<Option<Slices>> {
        let (&[a, b, alpha, ref beta @ ..], &Self { eps, centred }) = (operands, self) else {
            return Ok(None);
        };
        let norm = AddNorm { a, b, alpha: Some(alpha), beta: beta.first().copied(), eps, centred };
        norm.run()?.map(slices).transpose()
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
    Found::new(SumAndNorm { eps, centred }, operands, results, cover)
}
