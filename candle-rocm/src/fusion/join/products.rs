//! Products of a few rows that share them: queries, keys and values; a gate and what it gates.

use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use super::graph::{Graph, is_same};
use super::{Covers, Found, Joined, Results, with_operands};
use crate::fusion::Operation;
use crate::fusion::view::View;
use crate::fusion::window::Recorded;
use crate::matmul::MatMul;
use crate::matmul::several::{MOST_ROWS, MOST_WEIGHTS, matmul_several, matmul_silu_mul};
use crate::quantized::{MOST_MATRICES, QMatrix, QStorage};
use crate::storage::Value;
use crate::{Result, RocmDevice};

/// Operations among which products with the same rows are looked for.
const NEAR: usize = 12;

/// The call that replaces them.
pub(in crate::fusion) struct Call {
    /// The rows, then matrices as `[n, k]`.
    operands: SmallVec<[Recorded; 5]>,
    kind: Kind,
    results: SmallVec<[Arc<Value>; 4]>,
}

enum Kind {
    Several,
    /// The first of two products goes through silu and multiplies the second.
    Gated,
    /// With quantized weights.
    Quantized(SmallVec<[QMatrix; 4]>),
}

impl Call {
    pub(super) fn run(&self, device: &RocmDevice) -> Result<Option<Results>> {
        let products = with_operands(device, &self.operands, |operands| match (&self.kind, operands) {
            (Kind::Gated, [x, gate, up]) => {
                let gated =
                    || matmul_silu_mul(*x, *gate, *up).map(|product| product.map(|product| vec![product]));
                device.observe("matmul-silu-mul", operands, gated)
            }
            (Kind::Several, [x, matrices @ ..]) => {
                device.observe("matmul-several", operands, || matmul_several(*x, matrices))
            }
            (Kind::Quantized(matrices), &[(x, layout)]) => {
                let weights: SmallVec<[QStorage; 4]> =
                    matrices.iter().map(|matrix| matrix.on(device)).collect();
                let shaped: SmallVec<[_; 4]> =
                    weights.iter().zip(matrices).map(|(weights, matrix)| (weights, matrix.shape())).collect();
                let bytes = || weights.iter().map(QStorage::size_in_bytes).sum();
                device.observe_with_weights("quantized-matmul-several", operands, bytes, || {
                    QStorage::forward_several(&shaped, x, layout)
                })
            }
            _ => Ok(None),
        })?;
        let Some(products) = products else { return Ok(None) };
        let slices = products.into_iter().map(|product| product.into_slice());
        self.results
            .iter()
            .cloned()
            .zip(slices)
            .map(|(value, slice)| Ok((value, slice?)))
            .collect::<Result<_>>()
            .map(Some)
    }
}

/// The operands of a product of few rows with a matrix that is there, whose columns are dense.
fn product<'a>(graph: &Graph<'a>, i: usize) -> Option<(&'a Recorded, &'a Recorded)> {
    let node = graph.node(i);
    let (Operation::MatMul(MatMul { shape }), [x, matrix]) = (&node.operation, &node.operands[..]) else {
        return None;
    };
    let few = shape.batch == 1 && shape.m <= MOST_ROWS && x.1.dims().len() == 2;
    let dense = matrix.1.dims().len() == 2 && matrix.1.stride()[0] == 1;
    (few && dense && graph.source(matrix).is_none()).then_some((x, matrix))
}

/// As `[n, k]`.
fn transposed((value, view): &Recorded) -> Option<Recorded> {
    Some((value.clone(), View::new(view.transpose(0, 1).ok()?)))
}

/// `i` is the first of several products.
pub(super) fn find_several(_: &RocmDevice, graph: &Graph<'_>, i: usize) -> Option<Found> {
    let (x, first) = product(graph, i)?;
    let mut matrices: SmallVec<[&Recorded; MOST_WEIGHTS]> = smallvec![first];
    let mut covers: Covers = smallvec![i];
    for j in i + 1..graph.len().min(i + NEAR) {
        if covers.len() < MOST_WEIGHTS
            && graph.is_free(j)
            && let Some((other, matrix)) = product(graph, j)
            && is_same(x, other)
        {
            matrices.push(matrix);
            covers.push(j);
        }
    }
    if covers.len() == 1 {
        return None;
    }
    let transposed: Option<SmallVec<[Recorded; MOST_WEIGHTS]>> =
        matrices.into_iter().map(transposed).collect();
    let operands = std::iter::once(x.clone()).chain(transposed?).collect();
    let results = covers.iter().map(|&covered| graph.node(covered).result.clone()).collect();
    let join = Joined::Products(Call { operands, kind: Kind::Several, results });
    Some(Found { join, covers, at: i })
}

/// `i` is the first of several products of one vector with quantized weights of one type.
pub(super) fn find_quantized(device: &RocmDevice, graph: &Graph<'_>, i: usize) -> Option<Found> {
    let weights = |j: usize| match (&graph.node(j).operation, &graph.node(j).operands[..]) {
        (Operation::QMatMul(weights), [x]) => Some((x, weights)),
        _ => None,
    };
    let (x, first) = weights(i)?;
    if x.1.len() != first.shape().1 || !first.is_streamed(device) {
        return None;
    }
    let (mut covers, mut matrices): (Covers, SmallVec<[_; 4]>) = (smallvec![i], smallvec![first.clone()]);
    for j in i + 1..graph.len().min(i + NEAR) {
        if covers.len() < MOST_MATRICES
            && graph.is_free(j)
            && let Some((other, weights)) = weights(j)
            && is_same(x, other)
            && weights.dtype() == first.dtype()
            && weights.is_streamed(device)
        {
            matrices.push(weights.clone());
            covers.push(j);
        }
    }
    if covers.len() == 1 {
        return None;
    }
    let results = covers.iter().map(|&covered| graph.node(covered).result.clone()).collect();
    let join =
        Joined::Products(Call { operands: smallvec![x.clone()], kind: Kind::Quantized(matrices), results });
    Some(Found { join, covers, at: i })
}

/// `i` is the product, element by element, of `silu(x gate)` and `x up`.
pub(super) fn find_gated(_: &RocmDevice, graph: &Graph<'_>, i: usize) -> Option<Found> {
    let node = graph.node(i);
    let (Operation::Binary { kernel: "bmul", .. }, [silu, up]) = (&node.operation, &node.operands[..]) else {
        return None;
    };
    let (silu, Operation::Unary { kernel: "usilu", .. }, [gate]) = graph.only_for(silu)? else { return None };
    let ((gate, ..), (up, ..)) = (graph.only_for(gate)?, graph.only_for(up)?);
    let ((x, gate_matrix), (other, up_matrix)) = (product(graph, gate)?, product(graph, up)?);
    if !is_same(x, other) {
        return None;
    }
    let operands = smallvec![x.clone(), transposed(gate_matrix)?, transposed(up_matrix)?];
    let join =
        Joined::Products(Call { operands, kind: Kind::Gated, results: smallvec![node.result.clone()] });
    Some(Found { join, covers: smallvec![gate, silu, up, i], at: i })
}
