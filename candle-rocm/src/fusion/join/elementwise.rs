//! Trees of elementwise operations, which become one generated kernel: what nobody else reads is not written to memory.

use std::sync::Arc;

use candle_core::{DType, Layout, WithDType};
use smallvec::{SmallVec, smallvec};

use super::graph::{Graph, is_same};
use super::{Covers, Found, Joined, Results, with_operands};
use crate::common::launch::{elementwise as elementwise_blocks, planned};
use crate::common::operand::Operand;
use crate::common::plan::Plan;
use crate::fusion::generated::Generated;
use crate::fusion::generated::expression::{
    Expression, Function, MOST_OPERANDS, MOST_STEPS, Parameters, Source, Step, type_name,
};
use crate::fusion::view::View;
use crate::fusion::window::{Node, Recorded};
use crate::storage::Value;
use crate::storage_slice::each_dtype;
use crate::{Result, RocmDevice, RocmError, RocmStorageSlice, hip};

/// Values of parameters, with the dtype that each is rounded to.
type Arguments = SmallVec<[(DType, f64); 4]>;

/// The call that replaces them.
pub(in crate::fusion) struct Call {
    kernel: hip::Function,
    operands: SmallVec<[Recorded; MOST_OPERANDS]>,
    parameters: Arguments,
    result: Arc<Value>,
}

impl Call {
    pub(super) fn run(&self, device: &RocmDevice) -> Result<Option<Results>> {
        const OP: &str = "joined";
        let slice = with_operands(device, &self.operands, |operands| {
            device.observe(OP, operands, || match *operands {
                [a] => self.launch(OP, device, [a]),
                [a, b] => self.launch(OP, device, [a, b]),
                [a, b, c] => self.launch(OP, device, [a, b, c]),
                _ => Ok(None),
            })
        })?;
        Ok(slice.map(|slice| smallvec![(self.result.clone(), slice)]))
    }

    fn launch<const N: usize>(
        &self,
        op: &'static str,
        device: &RocmDevice,
        operands: [Operand<'_>; N],
    ) -> Result<Option<RocmStorageSlice>> {
        let plan = Plan::new(op, operands.map(|(storage, layout)| (layout, storage.len())))?;
        let size = |storage: &crate::RocmStorage| storage.dtype().size_in_bytes();
        // The plain kernels have ways of their own for these.
        let large = |(i, (storage, _)): (usize, &Operand<'_>)| plan.large_transposition(i, size(storage));
        if operands.iter().enumerate().find_map(large).is_some() {
            return Ok(None);
        }
        let out = RocmStorageSlice::uninit(device, plan.numel, self.result.dtype())?;
        let mut launch = planned(device.launch_function(&self.kernel), &plan);
        for (storage, layout) in operands {
            launch.pointer(storage.slice()?.address().byte_add(layout.start_offset() * size(storage)));
        }
        launch.pointer(out.address());
        for &(dtype, value) in &self.parameters {
            each_dtype!(dtype, T => { launch.arg(&<T as WithDType>::from_f64(value)); }, else {
                return Err(RocmError::UnsupportedDType { op, dtype });
            });
        }
        let widest = operands.iter().map(|(storage, _)| size(storage)).max().unwrap_or(1);
        let widest = widest.max(self.result.dtype().size_in_bytes());
        // SAFETY: joined(numel, num_dims, info, operands.., out, parameters..), generated for these dtypes: the plan keeps reads
        // inside the operands, and out has numel elements.
        unsafe { launch.run(elementwise_blocks(device, &plan, widest)) }?;
        Ok(Some(out))
    }
}

/// Nodes of a tree, and what they read from outside.
struct Tree {
    nodes: Covers,
    operands: SmallVec<[Recorded; MOST_OPERANDS]>,
}

/// `i` is the last operation of the tree. The tree's operations, if its kernel is not there yet.
pub(super) fn find(device: &RocmDevice, graph: &Graph<'_>, i: usize) -> Option<Result<Found, Covers>> {
    let (root, dims) = (graph.node(i), elementwise(graph.node(i))?);
    let mut tree = Tree { nodes: smallvec![i], operands: operands_of(graph, &[i], dims)? };
    while let Some(larger) = grown(graph, &tree, root, dims) {
        tree = larger;
    }
    if tree.nodes.len() < 2 {
        return None;
    }
    let (expression, parameters) = expression(graph, &tree)?;
    let Some(kernel) = device.extension::<Generated>().kernel(device, &expression) else {
        return Some(Err(tree.nodes));
    };
    let call = Call { kernel, operands: tree.operands, parameters, result: root.result.clone() };
    Some(Ok(Found { join: Joined::Elementwise(call), covers: tree.nodes, at: i }))
}

/// The layout of all operands, if the operation is one that kernels are generated for.
fn elementwise(node: &Node) -> Option<&View> {
    Function::of(&node.operation)?;
    type_name(node.result.dtype())?;
    let named = node.operands.iter().all(|(value, _)| type_name(value.dtype()).is_some());
    let (_, view) = node.operands.first()?;
    named.then_some(view)
}

/// The tree with one more of the operations that it reads from, of which nobody else reads.
fn grown(graph: &Graph<'_>, tree: &Tree, root: &Node, dims: &View) -> Option<Tree> {
    if tree.nodes.len() == MOST_STEPS {
        return None;
    }
    tree.operands.iter().find_map(|operand| {
        let from = graph.source(operand)?;
        let node = graph.node(from);
        elementwise(node)?;
        let whole = operand.1.is_whole(node.result.len()) && node.result.len() == root.result.len();
        if !whole || !graph.is_free(from) || !graph.is_only_read_by(from, &tree.nodes) {
            return None;
        }
        let mut nodes = tree.nodes.clone();
        nodes.push(from);
        nodes.sort_unstable();
        let operands = operands_of(graph, &nodes, dims)?;
        Some(Tree { nodes, operands })
    })
}

/// What these operations read that none of them gives, in the shape of the tree's result; `None` if it is too much.
fn operands_of(
    graph: &Graph<'_>,
    nodes: &[usize],
    dims: &View,
) -> Option<SmallVec<[Recorded; MOST_OPERANDS]>> {
    let mut operands: SmallVec<[Recorded; MOST_OPERANDS]> = SmallVec::new();
    for operand in nodes.iter().flat_map(|&node| &graph.node(node).operands) {
        if let Some(from) = graph.source(operand).filter(|from| nodes.contains(from)) {
            if !operand.1.is_whole(graph.node(from).result.len()) {
                return None;
            }
            continue;
        }
        let operand = in_shape(operand, dims)?;
        if !operands.iter().any(|known| is_same(known, &operand)) {
            if operands.len() == MOST_OPERANDS {
                return None;
            }
            operands.push(operand);
        }
    }
    Some(operands)
}

/// The same elements in that shape, which has as many.
fn in_shape((value, view): &Recorded, dims: &View) -> Option<Recorded> {
    if view.dims() == dims.dims() || view.is_contiguous() {
        return Some((value.clone(), view.reshaped(dims)));
    }
    let constant = view.stride().iter().all(|&stride| stride == 0);
    let spread = || Layout::new(dims.shape().clone(), vec![0; dims.dims().len()], view.start_offset());
    constant.then(|| (value.clone(), View::new(spread())))
}

/// What the tree computes, and its parameters.
fn expression(graph: &Graph<'_>, tree: &Tree) -> Option<(Expression, Arguments)> {
    let last = graph.node(*tree.nodes.last()?);
    let dims = &last.operands.first()?.1;
    let operands = tree.operands.iter().map(|(value, _)| value.dtype()).collect();
    let mut all: Arguments = SmallVec::new();
    let mut steps = SmallVec::new();
    for &i in &tree.nodes {
        let node = graph.node(i);
        let (function, parameters): (Function, Parameters) = Function::of(&node.operation)?;
        let of = node.operands.first()?.0.dtype();
        all.extend(parameters.into_iter().map(|value| (of, value)));
        let source = |operand: &Recorded| {
            let inside =
                graph.source(operand).and_then(|from| tree.nodes.iter().position(|&node| node == from));
            match inside {
                Some(step) => Some(Source::Step(step as u8)),
                None => {
                    let operand = in_shape(operand, dims)?;
                    let known = tree.operands.iter().position(|known| is_same(known, &operand))?;
                    Some(Source::Operand(known as u8))
                }
            }
        };
        let sources = node.operands.iter().map(source).collect::<Option<_>>()?;
        steps.push(Step { function, sources, dtype: node.result.dtype() });
    }
    Some((Expression { operands, steps }, all))
}
