//! Trees of elementwise operations, which become one generated kernel: what nobody else reads is not written to memory.

use smallvec::smallvec;

use super::rows;
use super::tree::{Arguments, Input, Placement, Steps, Strides, Tree, TreeKind, bind, contiguous, is_named};
use super::{Entry, Found, Graph, Joined, Place, Slices};
use crate::common::launch::{LaunchExt, elementwise as elementwise_blocks, planned};
use crate::common::operand::Operand;
use crate::common::plan::Plan;
use crate::fusion::generated::elementwise::{Expression, MOST_OPERANDS};
use crate::fusion::generated::steps::{Function, Parameters};
use crate::fusion::generated::{Code, Generated, Handle};
use crate::fusion::graph::Argument;
use crate::{Result, RocmDevice, RocmStorageSlice, hip};

/// Elements of rows that are worth a block or a wavefront each.
const LONG_ROW: usize = 512;

/// The result of a tree.
#[derive(Debug)]
struct ElementwiseTree {
    kernel: Handle,
    parameters: Arguments,
    in_f32: bool,
}

impl Joined for ElementwiseTree {
    fn name(&self) -> &'static str {
        "joined"
    }

    fn run(&self, on: Place<'_>, operands: &[Operand<'_>]) -> Result<Option<Slices>> {
        let Some(kernel) = self.kernel.get() else { return Ok(None) };
        match *operands {
            [a] => self.launch(on, kernel, [a]).map(Some),
            [a, b] => self.launch(on, kernel, [a, b]).map(Some),
            [a, b, c] => self.launch(on, kernel, [a, b, c]).map(Some),
            _ => Ok(None),
        }
    }

    fn generated(&self) -> Option<&Handle> {
        Some(&self.kernel)
    }

    fn accumulates_in_f32(&self) -> bool {
        self.in_f32
    }
}

impl ElementwiseTree {
    fn launch<const N: usize>(
        &self,
        Place { device, results, .. }: Place<'_>,
        kernel: &hip::Function,
        operands: [Operand<'_>; N],
    ) -> Result<Slices> {
        let (op, dtype) = (self.name(), results[0].dtype());
        let plan = Plan::new(op, operands.map(|(storage, layout)| (layout, storage.len())))?;
        let size = |storage: &crate::RocmStorage| storage.dtype().size_in_bytes();
        let mut out = RocmStorageSlice::uninit(device, plan.numel, dtype)?;
        let mut launch = planned(device.launch_function(kernel), &plan);
        for (storage, layout) in operands {
            launch.slice(storage.slice()?, layout.start_offset());
        }
        launch.slice_mut(&mut out, 0);
        bind(op, &mut launch, &self.parameters)?;
        let widest = operands.iter().map(|(storage, _)| size(storage)).max().unwrap_or(1);
        let widest = widest.max(dtype.size_in_bytes());
        // SAFETY: joined(numel, num_dims, info, operands.., out, parameters..), generated for these dtypes: the plan keeps reads
        // inside the operands, and out has numel elements.
        unsafe { launch.run(elementwise_blocks(device, &plan, widest)) }?;
        Ok(smallvec![out])
    }
}

/// Trees whose operations all have as many elements.
struct Elements<'a> {
    /// The shape of the last one's operands, which is that of all.
    dims: &'a [usize],
    len: usize,
}

impl TreeKind for Elements<'_> {
    const MOST: usize = MOST_OPERANDS;
    const MOST_RESULTS: usize = 1;

    fn dims(&self) -> &[usize] {
        self.dims
    }

    fn function(&self, node: &Entry<'_>) -> Option<(Function, Parameters)> {
        let fits = node.result.len() == self.len && is_named(node);
        fits.then(|| Function::of(node.operation)).flatten()
    }

    fn reads(&self, _: &Entry<'_>, operand: &Argument, from: &Entry<'_>) -> bool {
        operand.1.is_whole(from.result.len())
    }

    fn placement(&self, _: &Entry<'_>, (_, view): &Argument) -> Option<Placement> {
        let strides = if view.dims() == self.dims {
            Strides::from_slice(view.stride())
        } else if view.is_contiguous() {
            contiguous(self.dims)
        } else if view.is_constant() {
            smallvec![0; self.dims.len()]
        } else {
            return None;
        };
        Some(Placement { strides, offset: view.start_offset() })
    }
}

/// Whether an operand is transposed and so large that it is worth a pass of its own, as the plain kernels make it.
fn is_transposed(operands: &[Argument]) -> bool {
    fn of<const N: usize>(operands: [&Argument; N]) -> bool {
        let layouts = operands.map(|(value, view)| (&***view, value.len()));
        let size = |i: usize| operands[i].0.dtype().size_in_bytes();
        Plan::new("joined", layouts)
            .is_ok_and(|plan| (0..N).any(|i| plan.large_transposition(i, size(i)).is_some()))
    }
    match operands {
        _ if operands.iter().all(|(_, view)| matches!(view.stride().last(), None | Some(0 | 1))) => false,
        [a] => of([a]),
        [a, b] => of([a, b]),
        [a, b, c] => of([a, b, c]),
        _ => false,
    }
}

/// `i` is the last operation of the tree.
pub(super) fn find(device: &RocmDevice, graph: &Graph<'_>, i: usize) -> Option<Found> {
    let root = graph.node(i);
    let view = &root.operands.first()?.1;
    let kind = Elements { dims: view.dims(), len: view.len() };
    let tree = Tree::of(graph, &kind, i)?;
    // It may have stopped growing for want of room, or where somebody else reads a result.
    let grows = |input: &Input<'_>| {
        let from = graph.source(input.operand).filter(|&from| graph.is_free(from));
        from.is_some_and(|from| Function::of(graph.node(from).operation).is_some())
    };
    if tree.inputs.iter().any(grows)
        && let Some(larger) = rows::find_elements(device, graph, i, tree.nodes.len())
    {
        return Some(larger);
    }
    if tree.nodes.len() < 2 {
        return None;
    }
    let operands = tree.operands(&kind);
    if is_transposed(&operands) {
        return None;
    }
    // Rows that lie apart: offsets for each of them, not for each vector.
    let apart = operands.iter().any(|(_, view)| !view.is_contiguous() && view.stride().last() == Some(&1));
    let long = kind.dims.last().is_some_and(|&n| n >= LONG_ROW);
    if apart
        && long
        && let Some(rows) = rows::find_elements(device, graph, i, tree.nodes.len() - 1)
    {
        return Some(rows);
    }
    let cover = tree.cover(graph)?;
    let Steps { steps, parameters, in_f32, .. } = tree.steps(graph, &kind)?;
    let dtypes = operands.iter().map(|(value, _)| value.dtype()).collect();
    let code = Code::Elementwise(Expression { operands: dtypes, steps });
    let kernel = device.extension::<Generated>().kernel(device, code)?;
    Found::new(ElementwiseTree { kernel, parameters, in_f32 }, operands, [root.result], cover)
}
