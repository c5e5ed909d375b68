//! Products of a few rows that share them: queries, keys and values; a gate and what it gates.

use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use super::graph::{Graph, is_same};
use super::of_norm::{self, Norm};
use super::{Covers, Found, Joined, Results, with_operands};
use crate::common::operand::Operand;
use crate::fusion::Operation;
use crate::fusion::view::View;
use crate::fusion::window::Recorded;
use crate::matmul::MatMul;
use crate::matmul::several::{MOST_ROWS, MOST_WEIGHTS, matmul_several, matmul_silu_mul};
use crate::quantized::{MOST_MATRICES, QMatrix, QStorage};
use crate::storage::Value;
use crate::{Result, RocmDevice, RocmStorage};

/// Operations among which products with the same rows are looked for.
const NEAR: usize = 12;

/// The call that replaces them.
pub(in crate::fusion) struct Call {
    /// The rows, or what makes them, then matrices as `[n, k]`.
    operands: SmallVec<[Recorded; 5]>,
    norm: Option<Norm>,
    kind: Kind,
    /// The products, and the norm's sum.
    results: SmallVec<[Arc<Value>; 4]>,
}

pub(super) enum Kind {
    Several,
    /// The first of two products goes through silu and multiplies the second.
    Gated,
    /// With quantized weights.
    Quantized(SmallVec<[QMatrix; 4]>),
    /// As `Gated`, with quantized weights.
    QuantizedGated([QMatrix; 2]),
}

impl Call {
    pub(super) fn run(&self, device: &RocmDevice) -> Result<Option<Results>> {
        let products = with_operands(device, &self.operands, |operands| match &self.norm {
            Some(norm) => norm.run(device, &self.kind, operands),
            None => self.kind.run(device, operands),
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

impl Kind {
    fn run(&self, device: &RocmDevice, operands: &[Operand<'_>]) -> Result<Option<Vec<RocmStorage>>> {
        match (self, operands) {
            (Self::Gated, [x, gate, up]) => {
                let gated =
                    || matmul_silu_mul(*x, *gate, *up).map(|product| product.map(|product| vec![product]));
                device.observe("matmul-silu-mul", operands, gated)
            }
            (Self::Several, [x, matrices @ ..]) => {
                device.observe("matmul-several", operands, || matmul_several(*x, matrices))
            }
            (Self::Quantized(matrices), &[(x, layout)]) => {
                observe_quantized(device, "quantized-matmul-several", operands, matrices, |weights| {
                    QStorage::forward_several(weights, x, layout)
                })
            }
            (Self::QuantizedGated(matrices), &[(x, layout)]) => {
                observe_quantized(device, "quantized-matmul-silu-mul", operands, matrices, |weights| {
                    let &[(gate, shape), (up, _)] = weights else { return Ok(None) };
                    let product = QStorage::forward_silu_mul(gate, up, shape, x, layout)?;
                    Ok(product.map(|product| vec![product]))
                })
            }
            _ => Ok(None),
        }
    }
}

/// Observes what `run` does with the matrices, each as weights on the device and their shape.
pub(super) fn observe_quantized(
    device: &RocmDevice,
    name: &'static str,
    operands: &[Operand<'_>],
    matrices: &[QMatrix],
    run: impl FnOnce(&[(&QStorage, (usize, usize))]) -> Result<Option<Vec<RocmStorage>>>,
) -> Result<Option<Vec<RocmStorage>>> {
    let weights: SmallVec<[QStorage; 4]> = matrices.iter().map(|matrix| matrix.on(device)).collect();
    let shapes = matrices.iter().map(QMatrix::shape);
    let shaped: SmallVec<[_; 4]> = weights.iter().zip(shapes).collect();
    let bytes = || weights.iter().map(QStorage::size_in_bytes).sum();
    device.observe_with_weights(name, operands, bytes, || run(&shaped))
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

/// What `of` says of an operation and of those soon after it that share its operand, up to `most`; `None` if there is but one.
fn sharing<'a, T>(
    graph: &Graph<'a>,
    i: usize,
    most: usize,
    of: impl Fn(usize) -> Option<(&'a Recorded, T)>,
) -> Option<(&'a Recorded, Covers, SmallVec<[T; 4]>)> {
    let (x, first) = of(i)?;
    let (mut covers, mut found): (Covers, SmallVec<[T; 4]>) = (smallvec![i], SmallVec::from_iter([first]));
    for j in i + 1..graph.len().min(i + NEAR) {
        if covers.len() < most
            && graph.is_free(j)
            && let Some((other, one)) = of(j)
            && is_same(x, other)
        {
            found.push(one);
            covers.push(j);
        }
    }
    (covers.len() > 1).then_some((x, covers, found))
}

/// The launch at a place, with the norm before it, if there is one.
fn launch(
    graph: &Graph<'_>,
    kind: Kind,
    (x, matrices): (&Recorded, SmallVec<[Recorded; 4]>),
    mut results: SmallVec<[Arc<Value>; 4]>,
    mut covers: Covers,
    at: usize,
) -> Found {
    let (mut operands, norm) = match of_norm::find(graph, &kind, x, &covers, at) {
        Some(behind) => {
            results.push(behind.sum);
            covers.extend(behind.covers);
            (behind.operands, Some(behind.norm))
        }
        None => (smallvec![x.clone()], None),
    };
    operands.extend(matrices);
    Found { join: Joined::Products(Call { operands, norm, kind, results }), covers, at }
}

/// The launch in the place of the first of the products.
fn several(
    graph: &Graph<'_>,
    kind: Kind,
    operands: (&Recorded, SmallVec<[Recorded; 4]>),
    covers: Covers,
) -> Option<Found> {
    let results = covers.iter().map(|&covered| graph.node(covered).result.clone()).collect();
    let at = *covers.first()?;
    Some(launch(graph, kind, operands, results, covers, at))
}

/// `i` is the first of several products.
pub(super) fn find_several(_: &RocmDevice, graph: &Graph<'_>, i: usize) -> Option<Found> {
    let (x, covers, matrices) = sharing(graph, i, MOST_WEIGHTS, |j| product(graph, j))?;
    let transposed: Option<SmallVec<[Recorded; 4]>> = matrices.into_iter().map(transposed).collect();
    several(graph, Kind::Several, (x, transposed?), covers)
}

/// `i` is the first of several products of one vector with quantized weights of one type.
pub(super) fn find_quantized(device: &RocmDevice, graph: &Graph<'_>, i: usize) -> Option<Found> {
    let weights = |j: usize| match (&graph.node(j).operation, &graph.node(j).operands[..]) {
        (Operation::QMatMul(weights), [x]) => Some((x, weights)),
        _ => None,
    };
    let (_, first) = weights(i)?;
    let streamed = |j: usize| {
        weights(j).filter(|(x, weights)| {
            let alike = weights.dtype() == first.dtype() && x.1.len() == weights.shape().1;
            alike && weights.is_streamed(device)
        })
    };
    let (x, covers, matrices) = sharing(graph, i, MOST_MATRICES, streamed)?;
    let kind = Kind::Quantized(matrices.into_iter().cloned().collect());
    several(graph, kind, (x, SmallVec::new()), covers)
}

/// `i` is the product, element by element, of `silu(x gate)` and `x up`: silu's place, and those of the products with x.
fn gated(graph: &Graph<'_>, i: usize) -> Option<[usize; 3]> {
    let node = graph.node(i);
    let (Operation::Binary { kernel: "bmul", .. }, [silu, up]) = (&node.operation, &node.operands[..]) else {
        return None;
    };
    let (silu, Operation::Unary { kernel: "usilu", .. }, [gate]) = graph.only_for(silu)? else { return None };
    let ((gate, ..), (up, ..)) = (graph.only_for(gate)?, graph.only_for(up)?);
    Some([silu, gate, up])
}

/// `i` is the product of a gate and what it gates, see [`gated`], with quantized weights of one type and shape.
pub(super) fn find_quantized_gated(device: &RocmDevice, graph: &Graph<'_>, i: usize) -> Option<Found> {
    let [silu, gate, up] = gated(graph, i)?;
    let product = |j: usize| match (&graph.node(j).operation, &graph.node(j).operands[..]) {
        (Operation::QMatMul(weights), [x]) => Some((x, weights)),
        _ => None,
    };
    let ((x, of_gate), (other, of_up)) = (product(gate)?, product(up)?);
    let alike = (of_gate.dtype(), of_gate.shape()) == (of_up.dtype(), of_up.shape());
    if !alike || !is_same(x, other) || x.1.len() != of_gate.shape().1 || !of_gate.is_streamed(device) {
        return None;
    }
    let kind = Kind::QuantizedGated([of_gate.clone(), of_up.clone()]);
    let results = smallvec![graph.node(i).result.clone()];
    Some(launch(graph, kind, (x, SmallVec::new()), results, smallvec![gate, silu, up, i], i))
}

/// `i` is the product of a gate and what it gates, see [`gated`].
pub(super) fn find_gated(_: &RocmDevice, graph: &Graph<'_>, i: usize) -> Option<Found> {
    let node = graph.node(i);
    let [silu, gate, up] = gated(graph, i)?;
    let ((x, gate_matrix), (other, up_matrix)) = (product(graph, gate)?, product(graph, up)?);
    if !is_same(x, other) {
        return None;
    }
    let matrices = smallvec![transposed(gate_matrix)?, transposed(up_matrix)?];
    let results = smallvec![node.result.clone()];
    Some(launch(graph, Kind::Gated, (x, matrices), results, smallvec![gate, silu, up, i], i))
}
