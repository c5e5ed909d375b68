//! A product, and a bias or a matrix that is added to it.

use smallvec::smallvec;

use super::{Found, Graph, Joined, Replaced, Results};
use crate::elementwise::binary::Binary;
use crate::fusion::Operation;
use crate::fusion::graph::{Argument, Slot};
use crate::matmul::added::matmul_add;
use crate::matmul::{GemmShape, MatMul};
use crate::{Result, RocmDevice};

pub(super) const OP: &str = "matmul-add";

/// The call that replaces both.
#[derive(Debug)]
pub(in crate::fusion) struct Call {
    shape: GemmShape,
    /// The matrices, and what is added.
    operands: [Argument; 3],
    result: Slot,
}

impl Call {
    pub(super) fn run(&self, device: &RocmDevice, replaced: Replaced<'_>) -> Result<Option<Results>> {
        let sum = replaced.with_operands(device, &self.operands, |operands| match *operands {
            [lhs, rhs, addend] => {
                device.observe(OP, operands, || matmul_add(OP, self.shape, lhs, rhs, addend))
            }
            _ => Ok(None),
        })?;
        let Some([sum]) = sum else { return Ok(None) };
        Ok(Some(smallvec![(self.result, sum.into_slice()?)]))
    }
}

/// `i` is the addition.
pub(super) fn find(_: &RocmDevice, graph: &Graph<'_>, i: usize) -> Option<Found> {
    let node = graph.node(i);
    let (Operation::Binary(Binary { kernel: "badd", .. }), [a, b]) = (node.operation, &node.operands[..])
    else {
        return None;
    };
    let of = |operand| match graph.only_for(operand)? {
        (from, Operation::MatMul(MatMul { shape }), [lhs, rhs]) if shape.batch == 1 => {
            Some((from, *shape, [lhs, rhs]))
        }
        _ => None,
    };
    let ((from, shape, matrices), addend) = of(a).map(|found| (found, b)).or_else(|| Some((of(b)?, a)))?;
    // As the product's rows, in any number of dimensions.
    if addend.1.dims().last() != Some(&shape.n) {
        return None;
    }
    let [lhs, rhs] = matrices.map(Argument::clone);
    let call = Call { shape, operands: [lhs, rhs, addend.clone()], result: node.result };
    Some(Found { join: Joined::Added(call), cover: graph.cover(smallvec![from, i], &[i], i)? })
}
