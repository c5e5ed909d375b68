//! A product, and a bias or a matrix that is added to it.

use smallvec::smallvec;

use super::{Found, Graph, Joined, Place, Slices, slices};
use crate::common::operand::Operand;
use crate::elementwise::binary::Binary;
use crate::fusion::Operation;
use crate::fusion::graph::Argument;
use crate::matmul::addend::matmul_add;
use crate::matmul::{GemmShape, MatMul};
use crate::{Result, RocmDevice};

/// The sum, of the matrices and what is added.
#[derive(Debug)]
struct ProductAndSum {
    shape: GemmShape,
}

impl Joined for ProductAndSum {
    fn name(&self) -> &'static str {
        "matmul-add"
    }

    fn run(&self, _: Place<'_>, operands: &[Operand<'_>]) -> Result<Option<Slices>> {
        let &[lhs, rhs, addend] = operands else { return Ok(None) };
        matmul_add(self.name(), self.shape, lhs, rhs, addend)?.map(slices).transpose()
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
    let ([lhs, rhs], cover) = (matrices, graph.cover(smallvec![from, i], &[i], i)?);
    let operands = [lhs, rhs, addend].map(Argument::clone);
    Found::new(ProductAndSum { shape }, operands, [node.result], cover)
}
