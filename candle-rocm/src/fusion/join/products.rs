//! Products of a few rows that share them: queries, keys and values; a gate and what it gates.

use std::sync::Arc;

use candle_core::Layout;
use smallvec::{SmallVec, smallvec};

use super::of_norm::{self, Norm};
use super::{Found, Graph, Joined, Results, with_operands};
use crate::common::linear::Linear;
use crate::common::operand::Operand;
use crate::dtype::DTypeExt;
use crate::fusion::Operation;
use crate::fusion::graph::{Covers, Recorded, View, is_same};
use crate::matmul::MatMul;
use crate::matmul::several::{Activation, MOST_ROWS, MOST_WEIGHTS, matmul_several, matmul_silu_mul};
use crate::quantized::{MOST_MATRICES, QMatrix, QStorage};
use crate::storage::Value;
use crate::{Result, RocmDevice, RocmStorage};

/// Operations among which products with the same rows are looked for.
const NEAR: usize = 12;

/// Rows of a single matrix, as a multiple of their length, up to which its launch also computes the norm of its vector: the head of a
/// language model has more.
const ROWS_OF_NORM: usize = 8;

/// The call that replaces them.
pub(in crate::fusion) struct Call {
    /// The rows, or what makes them, then matrices as `[n, k]`, unless they are quantized, and biases as `[n]`.
    operands: SmallVec<[Recorded; 5]>,
    norm: Option<Norm>,
    kind: Kind,
    /// The products, and the norm's sum.
    results: SmallVec<[Arc<Value>; 4]>,
}

pub(super) enum Kind {
    Several {
        biased: Biased,
        activation: Option<Activation>,
    },
    /// The first of two products goes through silu and multiplies the second.
    Gated,
    /// With quantized weights.
    Quantized {
        matrices: SmallVec<[QMatrix; 4]>,
        biased: Biased,
    },
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

/// Whether there is a bias, for each matrix.
pub(super) type Biased = SmallVec<[bool; 4]>;

/// Each of the matrices with its bias.
pub(super) fn layers<'a, W>(
    matrices: impl IntoIterator<Item = W>,
    biased: &Biased,
    biases: &[Operand<'a>],
) -> SmallVec<[Linear<'a, W>; 4]> {
    let mut biases = biases.iter().copied();
    let layer = |(weights, &biased)| Linear { weights, bias: if biased { biases.next() } else { None } };
    matrices.into_iter().zip(biased).map(layer).collect()
}

/// The same where the matrices are operands, too, before the biases.
pub(super) fn dense_layers<'a>(
    operands: &[Operand<'a>],
    biased: &Biased,
) -> SmallVec<[Linear<'a, Operand<'a>>; 4]> {
    let (matrices, biases) = operands.split_at(biased.len());
    layers(matrices.iter().copied(), biased, biases)
}

impl Kind {
    fn run(&self, device: &RocmDevice, operands: &[Operand<'_>]) -> Result<Option<Vec<RocmStorage>>> {
        match (self, operands) {
            (Self::Gated, [x, gate, up]) => {
                let gated =
                    || matmul_silu_mul(*x, *gate, *up).map(|product| product.map(|product| vec![product]));
                device.observe("matmul-silu-mul", operands, gated)
            }
            (Self::Several { biased, activation }, [x, others @ ..]) => {
                let layers = dense_layers(others, biased);
                device.observe("matmul-several", operands, || matmul_several(*x, &layers, *activation))
            }
            (Self::Quantized { matrices, biased }, &[(x, layout), ref biases @ ..]) => {
                observe_quantized(device, "quantized-matmul-several", operands, matrices, |weights| {
                    QStorage::forward_several(&layers(weights.iter().copied(), biased, biases), x, layout)
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
    let floats = node.result.dtype().is_16_or_32_bit_float();
    (few && dense && floats && graph.source(matrix).is_none()).then_some((x, matrix))
}

/// As `[n, k]`.
fn transposed((value, view): &Recorded) -> Option<Recorded> {
    Some((value.clone(), View::new(view.transpose(0, 1).ok()?)))
}

/// What `of` says of an operation and of those soon after it that share its operand, up to `most`.
fn sharing<'a, T>(
    graph: &Graph<'a>,
    i: usize,
    most: usize,
    of: impl Fn(usize) -> Option<(&'a Recorded, T)>,
) -> Option<(&'a Recorded, Products, SmallVec<[T; 4]>)> {
    let (x, first) = of(i)?;
    let (mut products, mut found): (Products, SmallVec<[T; 4]>) =
        (smallvec![i], SmallVec::from_iter([first]));
    for j in i + 1..graph.len().min(i + NEAR) {
        if products.len() < most
            && graph.is_free(j)
            && let Some((other, one)) = of(j)
            && is_same(x, other)
        {
            found.push(one);
            products.push(j);
        }
    }
    Some((x, products, found))
}

/// Operations that are products.
type Products = SmallVec<[usize; 4]>;

/// What becomes of products.
#[derive(Default)]
struct Epilogues {
    biased: Biased,
    biases: SmallVec<[Recorded; 4]>,
    activation: Option<Activation>,
    /// The operations whose results are written, one for each product.
    written: Products,
    covers: Covers,
}

impl Epilogues {
    /// Of the products, in the place of the first of them. A single one may have an activation, if kernels know them.
    fn of(graph: &Graph<'_>, products: &Products, knows_activations: bool) -> Self {
        let mut all = Self::default();
        for &product in products {
            all.covers.push(product);
            let (mut last, bias) = match bias_of(graph, product) {
                Some((add, bias)) => (add, Some(bias)),
                None => (product, None),
            };
            if last != product {
                all.covers.push(last);
            }
            if knows_activations
                && products.len() == 1
                && let Some((unary, activation)) = activation_of(graph, last)
            {
                (last, all.activation) = (unary, Some(activation));
                all.covers.push(unary);
            }
            all.biased.push(bias.is_some());
            all.biases.extend(bias);
            all.written.push(last);
        }
        all
    }

    fn is_empty(&self) -> bool {
        self.biases.is_empty() && self.activation.is_none()
    }
}

/// The operation that is the only one to read a result, all of it in its order, and what it reads.
fn only_reader<'a>(graph: &Graph<'a>, i: usize) -> Option<(usize, &'a Operation, &'a [Recorded])> {
    let reader = graph.only_reader(i).filter(|&reader| graph.is_free(reader))?;
    let node = graph.node(reader);
    let mut reads = node.operands.iter().filter(|operand| graph.source(operand) == Some(i));
    let whole = reads.all(|(_, view)| view.is_whole(graph.node(i).result.len()));
    whole.then_some((reader, &node.operation, &node.operands[..]))
}

/// What adds a bias that is there to a product, and the bias as `[n]`.
fn bias_of(graph: &Graph<'_>, product: usize) -> Option<(usize, Recorded)> {
    let (add, Operation::Binary { kernel: "badd", .. }, [a, b]) = only_reader(graph, product)? else {
        return None;
    };
    let (bias, sum) = if graph.source(a) == Some(product) { (b, a) } else { (a, b) };
    let n = match &graph.node(product).operation {
        Operation::MatMul(MatMul { shape }) => shape.n,
        Operation::QMatMul(weights) => weights.shape().0,
        _ => return None,
    };
    // The same for each row.
    let (dims, strides) = (bias.1.dims(), bias.1.stride());
    let (&last, outer) = dims.split_last()?;
    let dense = last == n && (n == 1 || strides.last() == Some(&1));
    let repeated = outer.iter().zip(strides).all(|(&dim, &stride)| dim == 1 || stride == 0);
    let there = graph.source(bias).is_none() && sum.1.dims().last() == Some(&n);
    let view = || View::new(Layout::new(n.into(), vec![1], bias.1.start_offset()));
    (dense && repeated && there).then(|| (add, (bias.0.clone(), view())))
}

/// An activation that is all that becomes of a result.
fn activation_of(graph: &Graph<'_>, i: usize) -> Option<(usize, Activation)> {
    let (unary, Operation::Unary { kernel, .. }, _) = only_reader(graph, i)? else { return None };
    Some((unary, Activation::of_kernel(kernel)?))
}

/// The launch at a place, with the norm before it, if there is one.
fn launch(
    graph: &Graph<'_>,
    kind: Kind,
    (x, others): (&Recorded, SmallVec<[Recorded; 4]>),
    written: Products,
    (products, covers): (&[usize], Covers),
    at: usize,
) -> Option<Found> {
    // Each block computes the norm again.
    let small = |i: &usize| graph.node(*i).result.len() <= ROWS_OF_NORM * x.1.len();
    let behind =
        if products.len() > 1 || products.iter().all(small) { of_norm::find(graph, &kind, x) } else { None };
    let with_norm = behind.and_then(|behind| {
        let (mut covers, mut written) = (covers.clone(), written.clone());
        covers.extend([behind.add, behind.row]);
        written.push(behind.add);
        Some((graph.cover(covers, &written, at)?, behind))
    });
    let mut results: SmallVec<[_; 4]> = written.iter().map(|&i| graph.node(i).result.clone()).collect();
    let (cover, mut operands, norm) = match with_norm {
        Some((cover, behind)) => {
            results.push(graph.node(behind.add).result.clone());
            (cover, behind.operands, Some(behind.norm))
        }
        None => (graph.cover(covers, &written, at)?, smallvec![x.clone()], None),
    };
    operands.extend(others);
    Some(Found { join: Joined::Products(Call { operands, norm, kind, results }), cover })
}

/// `i` is the first of several products, or of one with a bias or an activation.
pub(super) fn find_several(device: &RocmDevice, graph: &Graph<'_>, i: usize) -> Option<Found> {
    let (x, products, matrices) = sharing(graph, i, MOST_WEIGHTS, |j| product(graph, j))?;
    let epilogues = Epilogues::of(graph, &products, true);
    if products.len() == 1 && (epilogues.is_empty() || !is_for_matvec(device, graph, i)) {
        return None;
    }
    let transposed: Option<SmallVec<[Recorded; 4]>> = matrices.into_iter().map(transposed).collect();
    let (mut others, Epilogues { biased, biases, activation, written, covers }) = (transposed?, epilogues);
    others.extend(biases);
    launch(graph, Kind::Several { biased, activation }, (x, others), written, (&products, covers), i)
}

/// Whether a product by itself would be one of the kernels that several share.
fn is_for_matvec(device: &RocmDevice, graph: &Graph<'_>, i: usize) -> bool {
    let node = graph.node(i);
    match &node.operation {
        Operation::MatMul(matmul) => matmul.is_for_matvec(device, node.result.dtype()),
        _ => false,
    }
}

/// `i` is the first of several products of one vector with quantized weights of one type, or of one with a bias.
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
    let (x, products, matrices) = sharing(graph, i, MOST_MATRICES, streamed)?;
    let epilogues = Epilogues::of(graph, &products, false);
    if products.len() == 1 && epilogues.is_empty() {
        return None;
    }
    let Epilogues { biased, biases, written, covers, .. } = epilogues;
    let kind = Kind::Quantized { matrices: matrices.into_iter().cloned().collect(), biased };
    launch(graph, kind, (x, biases), written, (&products, covers), i)
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
    let covers = (&[gate, up][..], smallvec![gate, silu, up, i]);
    launch(graph, kind, (x, SmallVec::new()), smallvec![i], covers, i)
}

/// `i` is the product of a gate and what it gates, see [`gated`].
pub(super) fn find_gated(_: &RocmDevice, graph: &Graph<'_>, i: usize) -> Option<Found> {
    let [silu, gate, up] = gated(graph, i)?;
    let ((x, gate_matrix), (other, up_matrix)) = (product(graph, gate)?, product(graph, up)?);
    if !is_same(x, other) {
        return None;
    }
    let matrices = smallvec![transposed(gate_matrix)?, transposed(up_matrix)?];
    let covers = (&[gate, up][..], smallvec![gate, silu, up, i]);
    launch(graph, Kind::Gated, (x, matrices), smallvec![i], covers, i)
}
