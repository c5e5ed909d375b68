//! Products of rows that share them: queries, keys and values; a gate and what it gates. With their biases and activations, and the norm
//! of a residual connection that a single row is, or the residual connection that many rows' products are added to.

use std::iter;

use candle_core::Layout;
use smallvec::{SmallVec, smallvec};

use super::add_norm::{self, NormOfSum};
use super::{Found, Graph, Joined, Place, Slices, slices};
use crate::common::operand::Operand;
use crate::dtype::DTypeExt;
use crate::elementwise::binary::Binary;
use crate::elementwise::unary::Unary;
use crate::fusion::Operation;
use crate::fusion::graph::{Argument, Covers, View, is_same};
use crate::matmul::MatMul;
use crate::nn::AddNorm;
use crate::products::{self, Activation, Epilogue, Linear, MOST_MATRICES, MOST_ROWS};
use crate::products::{ProductLaunch, Products, Rows, Weights};
use crate::quantized::{QMatrix, QStorage};
use crate::{Result, RocmDevice};

/// Operations among which products with the same rows are looked for.
const NEAR: usize = 12;

/// Rows of a single matrix, as a multiple of their length, up to which its launch also computes the norm of its vector: the head of a
/// language model has more.
const ROWS_OF_NORM: usize = 8;

/// The products, and the norm's sum. The operands are the rows, or what makes them; then of each layer its matrix as `[n, k]`, unless it
/// is quantized, and what is added, if anything.
#[derive(Debug)]
struct JoinedProducts {
    /// Where the rows are a norm: its epsilon, and whether it is centred.
    norm: Option<(f32, bool)>,
    layers: SmallVec<[Layer; 4]>,
    epilogue: Epilogue,
}

#[derive(Debug)]
struct Layer {
    /// The product whose weights these are, if they are quantized.
    quantized: Option<usize>,
    added: bool,
}

impl Joined for JoinedProducts {
    fn name(&self) -> &'static str {
        let quantized = self.layers.iter().any(|layer| layer.quantized.is_some());
        products::name(self.norm.is_some(), quantized, self.epilogue)
    }

    fn weights(&self, on: Place<'_>) -> usize {
        self.quantized(on).iter().flatten().map(|(weights, _)| weights.size_in_bytes()).sum()
    }

    fn run(&self, on: Place<'_>, operands: &[Operand<'_>]) -> Result<Option<Slices>> {
        let quantized = self.quantized(on);
        let Some((rows, layers)) = self.described(operands, &quantized) else { return Ok(None) };
        let given = ProductLaunch::new(rows, &layers).with(self.epilogue).run()?;
        given.map(|Products { products, sum }| slices(products.into_iter().chain(sum))).transpose()
    }
}

/// A layer's weights and their rows and columns, if they are quantized.
type QuantizedWeights = Option<(QStorage, (usize, usize))>;

impl JoinedProducts {
    fn quantized(&self, on: Place<'_>) -> SmallVec<[QuantizedWeights; 4]> {
        let weights = |layer: &Layer| on.replaced.weights(layer.quantized?);
        let weights = self.layers.iter().map(weights);
        weights.map(|matrix| matrix.map(|matrix| (matrix.on(on.device), matrix.shape()))).collect()
    }

    /// What is multiplied. `None` if there are fewer operands than that.
    fn described<'a>(
        &self,
        operands: &[Operand<'a>],
        quantized: &'a [QuantizedWeights],
    ) -> Option<(Rows<'a>, SmallVec<[Linear<'a>; 4]>)> {
        let mut operands = operands.iter().copied();
        let rows = match self.norm {
            None => Rows::Given(operands.next()?),
            Some((eps, centred)) => {
                let (a, b, alpha) = (operands.next()?, operands.next()?, operands.next()?);
                let beta = if centred { Some(operands.next()?) } else { None };
                Rows::NormOfSum(AddNorm { a, b, alpha: Some(alpha), beta, eps, centred })
            }
        };
        let mut layers = SmallVec::new();
        for (layer, quantized) in self.layers.iter().zip(quantized) {
            let weights = match quantized {
                Some((weights, shape)) => Weights::Quantized((weights, *shape)),
                None => Weights::Dense(operands.next()?),
            };
            layers.push(Linear { weights, addend: if layer.added { Some(operands.next()?) } else { None } });
        }
        Some((rows, layers))
    }
}

/// A product with a matrix that is there, of few rows or, if it is quantized, of rows that are multiplied in tiles.
#[derive(Clone, Copy)]
struct Product<'a> {
    node: usize,
    rows: &'a Argument,
    matrix: Matrix<'a>,
}

#[derive(Clone, Copy)]
enum Matrix<'a> {
    /// As `[k, n]`, with dense columns.
    Dense(&'a Argument),
    Quantized(&'a QMatrix),
}

impl<'a> Product<'a> {
    /// `None` where kernels of several products take other operands.
    fn of(device: &RocmDevice, graph: &Graph<'a>, node: usize) -> Option<Self> {
        let of = graph.node(node);
        let dtype = of.result.dtype();
        let (rows, matrix) = match (&of.operation, &of.operands[..]) {
            (Operation::MatMul(MatMul { shape }), [rows, matrix]) => {
                let few = shape.batch == 1 && shape.m <= MOST_ROWS && rows.1.dims().len() == 2;
                let dense = matrix.1.dims().len() == 2 && matrix.1.stride()[0] == 1;
                let floats = dtype.is_16_or_32_bit_float();
                let there = graph.source(matrix).is_none();
                (few && dense && floats && there).then_some((rows, Matrix::Dense(matrix)))?
            }
            (Operation::QMatMul(matrix), [rows]) => {
                let takes = match rows.1.len().checked_div(matrix.shape().1)? {
                    1 => matrix.is_streamed(device, dtype),
                    vectors => matrix.is_tiled(device, dtype, vectors),
                };
                takes.then_some((rows, Matrix::Quantized(matrix)))?
            }
            _ => return None,
        };
        Some(Self { node, rows, matrix })
    }

    /// Whether a launch may have both.
    fn joins(&self, other: &Self) -> bool {
        let alike = match (self.matrix, other.matrix) {
            (Matrix::Dense(_), Matrix::Dense(_)) => true,
            (Matrix::Quantized(a), Matrix::Quantized(b)) => {
                self.is_tiled() || a.block_type() == b.block_type()
            }
            _ => false,
        };
        alike && is_same(self.rows, other.rows)
    }

    fn is_quantized(&self) -> bool {
        matches!(self.matrix, Matrix::Quantized(_))
    }

    /// Whether each matrix has a launch of its own.
    fn is_tiled(&self) -> bool {
        matches!(self.matrix, Matrix::Quantized(matrix) if self.rows.1.len() > matrix.shape().1)
    }

    /// Whether kernels apply activations.
    fn takes_activation(&self) -> bool {
        self.is_tiled() || !self.is_quantized()
    }

    /// What adds something to all that becomes of the product, and what that is: a bias, or, in tiles, as many elements.
    fn addend(&self, graph: &Graph<'_>, is_single: bool) -> Option<(usize, Argument)> {
        let (add, addend, sum) = added_to(graph, self.node)?;
        let bias = || bias(graph, self.node, addend, sum);
        let whole = is_single && self.is_tiled() && is_residual(graph, self.node, addend, sum);
        let addend = if whole { Some(addend.clone()) } else { bias() };
        Some((add, addend?))
    }

    /// Whether it would be one of these kernels by itself.
    fn is_alone(&self, device: &RocmDevice, graph: &Graph<'_>) -> bool {
        let node = graph.node(self.node);
        match node.operation {
            Operation::MatMul(matmul) => matmul.is_for_matvec(device, node.result.dtype()),
            _ => true,
        }
    }

    /// The norm of a residual connection that the rows are, where kernels compute it, and its place.
    fn norm(&self, graph: &Graph<'_>) -> Option<(usize, NormOfSum)> {
        let row = graph.source(self.rows)?;
        let norm = add_norm::of_sum(graph, row)?;
        let (of, k) = (&graph.node(row).result, self.rows.1.len());
        let takes = Weights::takes_norm(self.is_quantized(), norm.centred, of.dtype(), k);
        let parameters = norm.operands.len() == if norm.centred { 4 } else { 3 };
        // One row, which is the norm's.
        let last = |view: &View| view.dims().last() == Some(&k);
        let one = self.rows.1.is_whole(of.len()) && last(&self.rows.1) && last(&norm.operands[0].1);
        (takes && parameters && one).then_some((row, norm))
    }
}

/// A launch in the making.
#[derive(Default)]
struct Launch<'a> {
    /// With what is added to them.
    products: SmallVec<[(Product<'a>, Option<Argument>); 4]>,
    epilogue: Epilogue,
    /// The operations whose results are written.
    written: SmallVec<[usize; 4]>,
    covers: Covers,
}

impl Launch<'_> {
    /// In the place of one of its operations, with the norm before it, if there is one.
    fn at(self, graph: &Graph<'_>, place: usize) -> Option<Found> {
        let Self { products, epilogue, mut written, covers } = self;
        let (first, _) = products.first()?;
        // Each block computes the norm again.
        let small = || graph.node(first.node).result.len() <= ROWS_OF_NORM * first.rows.1.len();
        let norm = if products.len() > 1 || small() { first.norm(graph) } else { None };
        let with_norm = norm.and_then(|(row, norm)| {
            let (mut covers, mut written) = (covers.clone(), written.clone());
            covers.extend([norm.add, row]);
            written.push(norm.add);
            Some((graph.cover(covers, &written, place)?, norm))
        });
        let (cover, mut operands, norm): (_, SmallVec<[_; 5]>, _) = match with_norm {
            Some((cover, NormOfSum { eps, centred, add, operands })) => {
                written.push(add);
                (cover, operands.into_iter().collect(), Some((eps, centred)))
            }
            None => (graph.cover(covers, &written, place)?, smallvec![first.rows.clone()], None),
        };
        let mut layers = SmallVec::new();
        for (Product { node, matrix, .. }, addend) in products {
            let quantized = match matrix {
                Matrix::Quantized(_) => Some(node),
                Matrix::Dense((value, view)) => {
                    operands.push((*value, View::new(view.transpose(0, 1).ok()?)));
                    None
                }
            };
            layers.push(Layer { quantized, added: addend.is_some() });
            operands.extend(addend);
        }
        let results = written.iter().map(|&i| graph.node(i).result);
        Found::new(JoinedProducts { norm, layers, epilogue }, operands, results, cover)
    }
}

/// `i` is the first of several products, or one to which something is added, or whose activation follows.
pub(super) fn find_several(device: &RocmDevice, graph: &Graph<'_>, i: usize) -> Option<Found> {
    let first = Product::of(device, graph, i)?;
    let near = (i + 1..graph.len().min(i + NEAR)).filter(|&j| graph.is_free(j));
    let others = near.filter_map(|j| Product::of(device, graph, j)).filter(|other| first.joins(other));
    let products: SmallVec<[_; 4]> = iter::once(first).chain(others).take(MOST_MATRICES).collect();
    if products.len() == 1 && !first.is_alone(device, graph) {
        return None;
    }
    // Where what follows cannot be moved, products without it, and then fewer products.
    let parts = (1..=products.len()).rev().map(|count| &products[..count]);
    let mut launches = parts.flat_map(|part| [true, false].map(|whole| (part, whole)));
    launches.find_map(|(part, whole)| launch_of(graph, part, whole))
}

/// Products of the same rows, and `whole` with what is added to them, and the activation of a single one.
fn launch_of(graph: &Graph<'_>, products: &[Product<'_>], whole: bool) -> Option<Found> {
    let (first, single) = (products.first()?, products.len() == 1);
    let (mut launch, mut place) = (Launch::default(), first.node);
    for &product in products {
        let (mut last, addend) = product.addend(graph, single).filter(|_| whole).unzip();
        launch.covers.extend(iter::once(product.node).chain(last));
        if whole
            && single
            && product.takes_activation()
            && let Some((unary, activation)) = activation_of(graph, last.unwrap_or(product.node))
        {
            (last, launch.epilogue) = (Some(unary), Epilogue::Activation(activation));
            launch.covers.push(unary);
        }
        // A residual may be computed after the product.
        if addend.as_ref().is_some_and(|addend| graph.source(addend).is_some()) {
            place = last.unwrap_or(product.node);
        }
        launch.written.push(last.unwrap_or(product.node));
        launch.products.push((product, addend));
    }
    let plain = launch.written[..] == [first.node];
    if single && plain { None } else { launch.at(graph, place) }
}

/// `i` is the product of a gate and what it gates, see [`gated`].
pub(super) fn find_gated(device: &RocmDevice, graph: &Graph<'_>, i: usize) -> Option<Found> {
    let [silu, gate, up] = gated(graph, i)?;
    let (first, second) = (Product::of(device, graph, gate)?, Product::of(device, graph, up)?);
    let len = |i: usize| graph.node(i).result.len();
    let alike = first.joins(&second) && len(gate) == len(up);
    let tiled = |matrix: &QMatrix| matrix.shares_tiles(device, first.rows.1.len() / matrix.shape().1);
    let takes = match (first.matrix, second.matrix) {
        (Matrix::Quantized(a), Matrix::Quantized(b)) if first.is_tiled() => {
            a.block_type() == b.block_type() && tiled(a)
        }
        _ => true,
    };
    if !alike || !takes {
        return None;
    }
    let (products, covers) = (smallvec![(first, None), (second, None)], smallvec![gate, silu, up, i]);
    Launch { products, epilogue: Epilogue::Gated, written: smallvec![i], covers }.at(graph, i)
}

/// `i` is the product, element by element, of `silu(x gate)` and `x up`: silu's place, and those of the products with x.
fn gated(graph: &Graph<'_>, i: usize) -> Option<[usize; 3]> {
    let node = graph.node(i);
    let (Operation::Binary(Binary { kernel: "bmul", .. }), [silu, up]) = (node.operation, &node.operands[..])
    else {
        return None;
    };
    let (silu, Operation::Unary(Unary { kernel: "usilu", .. }), [gate]) = graph.only_for(silu)? else {
        return None;
    };
    let ((gate, ..), (up, ..)) = (graph.only_for(gate)?, graph.only_for(up)?);
    Some([silu, gate, up])
}

/// The operation that is the only one to read a result, all of it in its order, and what it reads.
fn only_reader<'a>(graph: &Graph<'a>, i: usize) -> Option<(usize, &'a Operation, &'a [Argument])> {
    let reader = graph.only_reader(i).filter(|&reader| graph.is_free(reader))?;
    let node = graph.node(reader);
    let mut reads = node.operands.iter().filter(|operand| graph.source(operand) == Some(i));
    let whole = reads.all(|(_, view)| view.is_whole(graph.node(i).result.len()));
    whole.then_some((reader, node.operation, &node.operands[..]))
}

/// What adds something to all that becomes of a product: what it is, and the product as it is read there.
fn added_to<'a>(graph: &Graph<'a>, product: usize) -> Option<(usize, &'a Argument, &'a Argument)> {
    let (add, Operation::Binary(Binary { kernel: "badd", .. }), [a, b]) = only_reader(graph, product)? else {
        return None;
    };
    let (addend, sum) = if graph.source(a) == Some(product) { (b, a) } else { (a, b) };
    Some((add, addend, sum))
}

/// A bias that is there, as `[n]`.
fn bias(graph: &Graph<'_>, product: usize, bias: &Argument, sum: &Argument) -> Option<Argument> {
    let n = match graph.node(product).operation {
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
    (dense && repeated && there).then(|| (bias.0, view()))
}

/// Whether a tensor of the products' elements is added to them, in their order.
fn is_residual(graph: &Graph<'_>, product: usize, addend: &Argument, sum: &Argument) -> bool {
    let result = graph.node(product).result;
    let last = |argument: &Argument| argument.1.dims().last().copied();
    let Operation::QMatMul(weights) = graph.node(product).operation else { return false };
    let rows = last(addend) == Some(weights.shape().0) && last(sum) == last(addend);
    rows && addend.1.is_contiguous()
        && addend.1.len() == result.len()
        && graph.source(addend) != Some(product)
}

/// An activation that is all that becomes of a result.
fn activation_of(graph: &Graph<'_>, i: usize) -> Option<(usize, Activation)> {
    let (unary, Operation::Unary(Unary { kernel, .. }), _) = only_reader(graph, i)? else { return None };
    Some((unary, Activation::of_kernel(kernel)?))
}
