//! Reductions of rows that fit in registers, with the elementwise operations before, between and behind them: norms, softmax and
//! variances as models spell them become one generated kernel, which reads its operands once. So do elementwise operations of more
//! operands or results than the kernels of [`elementwise`](super::elementwise) have, such as an optimizer's step.

use std::cmp::Reverse;

use candle_core::DType;
use smallvec::{SmallVec, smallvec};

use super::tree::{Arguments, Input, Placement, Steps, Strides, Tree, TreeKind, bind, contiguous, is_named};
use super::{Entry, Found, Graph, Joined, Place, Slices};
use crate::common::launch::LaunchExt;
use crate::common::operand::Operand;
use crate::common::plan::collapse;
use crate::count::saturating;
use crate::fusion::Operation;
use crate::fusion::f32_accumulation::compute_dtype;
use crate::fusion::generated::rows::{MOST_OPERANDS, MOST_RESULTS, Per, RowExpression};
use crate::fusion::generated::steps::{Function, MOST_STEPS, Parameters, Step};
use crate::fusion::generated::{Code, Generated, Handle};
use crate::fusion::graph::{Argument, Slot, View};
use crate::reduce::Reduce;
use crate::reduce::{THREADS, rows_config, threads_per_row};
use crate::{Result, RocmDevice, RocmStorageSlice};

/// Bytes of a vector, and of the longest row: each thread of a block has eight vectors.
const VECTOR: usize = 16;
const MOST_BYTES: usize = 8 * VECTOR * THREADS;
/// Vectors of a thread where nothing is reduced: more would take registers from other wavefronts.
const FEW_VECTORS: usize = 2;

/// The results of a tree.
#[derive(Debug)]
struct RowTree {
    kernel: Handle,
    /// Whether each operand has elements of its own for a row's.
    elements: SmallVec<[bool; 5]>,
    parameters: Arguments,
    rows: usize,
    n: usize,
    width: usize,
    /// That share a row.
    threads: usize,
    in_f32: bool,
}

impl Joined for RowTree {
    fn name(&self) -> &'static str {
        "joined-rows"
    }

    fn generated(&self) -> Option<&Handle> {
        Some(&self.kernel)
    }

    fn accumulates_in_f32(&self) -> bool {
        self.in_f32
    }

    fn run(&self, on: Place<'_>, operands: &[Operand<'_>]) -> Result<Option<Slices>> {
        let Some(kernel) = self.kernel.get() else { return Ok(None) };
        let device = on.device;
        let &Self { rows, n, width, threads, .. } = self;
        // Buffers begin where vectors do.
        let mut offsets = operands.iter().map(|(_, layout)| layout.start_offset()).zip(&self.elements);
        if offsets.any(|(offset, &elements)| elements && !offset.is_multiple_of(width)) {
            return Ok(None);
        }
        let dims = operands.first().map_or(&[][..], |(_, layout)| layout.dims());
        let axes = (0..dims.len().saturating_sub(1)).map(|axis| {
            let mut strides = [0; MOST_OPERANDS];
            for (stride, (_, layout)) in strides.iter_mut().zip(operands) {
                *stride = layout.stride()[axis];
            }
            (dims[axis], strides)
        });
        let plan = collapse(axes);
        let uninit = |value: &Slot| RocmStorageSlice::uninit(device, value.len(), value.dtype());
        let mut results = on.results.iter().map(uninit).collect::<Result<Slices>>()?;
        let mut launch = device.launch_function(kernel);
        launch.arg(&rows).arg(&(n as u32)).arg(&(plan.num_dims as u32)).info(&plan.info);
        for &(storage, layout) in operands {
            launch.slice(storage.slice()?, layout.start_offset());
        }
        for out in &mut results {
            launch.slice_mut(out, 0);
        }
        bind(self.name(), &mut launch, &self.parameters)?;
        // SAFETY: joined(rows, n, num_dims, info, operands.., results.., parameters..), generated for these dtypes: the recorded layouts
        // keep reads inside the operands, vectors are aligned, a thread has no more of them than it has registers for, and a result
        // has an element for each of the rows' or for each row, whichever it is.
        unsafe { launch.run(rows_config(device, rows, threads)) }?;
        Ok(Some(results))
    }
}

/// What the operations of a tree have in common: values with an element for each of n in each row, and values with one for each row.
struct RowShape {
    rows: usize,
    n: usize,
    /// The dimensions of rows, and n.
    dims: SmallVec<[usize; 6]>,
    /// Whether rows are parts of operands that have no dimensions of their own: dense, or one element for all. Nothing has one for
    /// each row then.
    flat: bool,
}

impl RowShape {
    /// Of the first reduction that `i` depends on, by itself or through elementwise operations.
    fn of(graph: &Graph<'_>, i: usize) -> Option<Self> {
        let mut ahead: SmallVec<[usize; MOST_STEPS]> = smallvec![i];
        let mut at = 0;
        while let Some(&from) = ahead.get(at) {
            let node = graph.node(from);
            at += 1;
            if let Operation::Reduce(Reduce { dims: reduced, .. }) = node.operation {
                let (dims, n) = trailing(node.operands[0].1.dims(), reduced)?;
                let rows = saturating(dims);
                let dims = dims.iter().copied().chain([n]).collect();
                return (n > 1).then_some(Self { rows, n, dims, flat: false });
            }
            if Function::of(node.operation).is_none() {
                continue;
            }
            for operand in &node.operands {
                if let Some(from) = graph.source(operand)
                    && ahead.len() < MOST_STEPS
                    && graph.is_free(from)
                    && !ahead.contains(&from)
                {
                    ahead.push(from);
                }
            }
        }
        None
    }

    /// As long as all that `i` reads is dense in a row, or one element for all of it.
    fn of_elements(graph: &Graph<'_>, i: usize) -> Option<Self> {
        let node = graph.node(i);
        Function::of(node.operation)?;
        let dims = node.operands.first()?.1.dims();
        let size = node.result.dtype().size_in_bytes();
        (0..dims.len()).find_map(|split| {
            let n = saturating(&dims[split..]);
            let kind = Self {
                rows: saturating(&dims[..split]),
                n,
                dims: dims[..split].iter().copied().chain([n]).collect(),
                flat: false,
            };
            let fits = n > 1 && n.saturating_mul(size) <= MOST_BYTES;
            (fits && node.operands.iter().all(|(_, view)| kind.strides(view).is_some())).then_some(kind)
        })
    }

    /// As long as threads are evenly busy, if all that `i` reads is dense, or one element for all of it.
    fn of_flat_elements(graph: &Graph<'_>, i: usize) -> Option<Self> {
        let node = graph.node(i);
        Function::of(node.operation)?;
        let len = node.result.len();
        let most = FEW_VECTORS * THREADS * VECTOR.checked_div(node.result.dtype().size_in_bytes())?;
        // The largest power of two that divides it.
        let n = (len > 0).then(|| 1 << len.trailing_zeros())?.min(most);
        let kind = Self { rows: len / n, n, dims: smallvec![len / n, n], flat: true };
        let fits = n > 1 && node.operands.iter().all(|(_, view)| kind.flat_strides(view).is_some());
        fits.then_some(kind)
    }

    /// The strides of such rows.
    fn flat_strides(&self, view: &View) -> Option<Strides> {
        if view.is_contiguous() {
            Some(smallvec![self.n, 1])
        } else {
            view.is_constant().then(|| smallvec![0, 0])
        }
    }

    /// What a result has for each row.
    fn per(&self, node: &Entry<'_>) -> Option<Per> {
        match node.result.len() {
            len if len == self.rows && !self.flat => Some(Per::Row),
            len if Some(len) == self.rows.checked_mul(self.n) => Some(Per::Element),
            _ => None,
        }
    }

    /// Strides of rows, and the one between the elements of a row, if they are evenly spaced or one.
    fn strides<'a>(&self, view: &'a View) -> Option<(&'a [usize], &'a [usize], usize)> {
        let (dims, strides) = (view.dims(), view.stride());
        let mut count = 1usize;
        let mut split = dims.len();
        while count < self.n {
            split = split.checked_sub(1)?;
            count = count.checked_mul(dims[split])?;
        }
        let inner = || dims[split..].iter().zip(&strides[split..]).rev().filter(|&(&size, _)| size != 1);
        let mut next = 1;
        let dense = inner().all(|(&size, &stride)| {
            let fits = stride == next;
            next *= size;
            fits
        });
        let step = if dense {
            1
        } else if inner().all(|(_, &stride)| stride == 0) {
            0
        } else {
            return None;
        };
        (count == self.n).then_some((&dims[..split], &strides[..split], step))
    }

    /// The strides of such rows, `step` apart within a row, in the dimensions that all operands of a kernel have.
    fn of_rows(&self, dims: &[usize], strides: &[usize], step: usize) -> Option<Strides> {
        let of_rows = self.dims.split_last()?.1;
        let mut all: Strides = if dims == of_rows {
            Strides::from_slice(strides)
        } else {
            // The distance of rows that are evenly spaced: in any shape.
            let plan = collapse(dims.iter().zip(strides).map(|(&size, &stride)| (size, [stride])));
            let distance = match (plan.num_dims, &plan.info[..]) {
                (0, _) => 0,
                (1, []) => 1,
                (1, &[_, stride]) => stride,
                _ => return None,
            };
            contiguous(of_rows).into_iter().map(|rows| rows.saturating_mul(distance)).collect()
        };
        all.push(step);
        Some(all)
    }
}

/// The dimensions before the reduced ones, if these are the last, and how many elements those have.
fn trailing<'a>(dims: &'a [usize], reduced: &[usize]) -> Option<(&'a [usize], usize)> {
    let kept = dims.len().checked_sub(reduced.len())?;
    let last = reduced.iter().all(|&dim| dim >= kept);
    last.then(|| (&dims[..kept], saturating(&dims[kept..])))
}

impl TreeKind for RowShape {
    const MOST: usize = MOST_OPERANDS;
    const MOST_RESULTS: usize = MOST_RESULTS;

    fn dims(&self) -> &[usize] {
        &self.dims
    }

    fn function(&self, node: &Entry<'_>) -> Option<(Function, Parameters)> {
        if !is_named(node) {
            return None;
        }
        let per = self.per(node)?;
        match node.operation {
            Operation::Reduce(Reduce { op, dims: reduced }) => {
                let (value, view) = node.operands.first()?;
                let (_, n) = trailing(view.dims(), reduced)?;
                let fits = value.dtype().is_float() && n == self.n && per == Per::Row;
                fits.then(|| Function::of_rows(*op)).flatten().map(|function| (function, Parameters::new()))
            }
            operation => Function::of(operation),
        }
    }

    fn reads(&self, reader: &Entry<'_>, (_, view): &Argument, from: &Entry<'_>) -> bool {
        let whole = view.is_whole(from.result.len());
        match (self.per(reader), self.per(from)) {
            (_, Some(Per::Element)) => whole,
            (Some(Per::Row), Some(Per::Row)) => whole && !matches!(reader.operation, Operation::Reduce(_)),
            // The same for all elements of a row.
            (Some(Per::Element), Some(Per::Row)) => {
                self.strides(view).is_some_and(|(dims, ..)| view.is_repeated(dims.len()))
            }
            _ => false,
        }
    }

    fn placement(&self, reader: &Entry<'_>, (_, view): &Argument) -> Option<Placement> {
        let reduction = matches!(reader.operation, Operation::Reduce(_));
        let strides = if self.flat {
            self.flat_strides(view)?
        } else if reduction || self.per(reader)? == Per::Element {
            let (dims, strides, step) = self.strides(view)?;
            // A sum of equal elements has an order of its own.
            if reduction && step != 1 {
                return None;
            }
            self.of_rows(dims, strides, step)?
        } else {
            self.of_rows(view.dims(), view.stride(), 0)?
        };
        Some(Placement { strides, offset: view.start_offset() })
    }

    /// As it is the same for all elements of a row.
    fn is_spread(&self, input: &Input<'_>) -> bool {
        !self.flat && input.placement.strides.last() == Some(&0)
    }

    /// In f32, rows are read in vectors of as many elements as f32's. What that costs rows of f16, up to a quarter of their time on an
    /// H200, is more than its conversions do; bf16 takes more of them, as few cards compute in it.
    fn may_be_in_f32(&self, step: &Step) -> bool {
        let fits = self.n.saturating_mul(compute_dtype(step.dtype).size_in_bytes()) <= MOST_BYTES;
        !step.function.is_reduction() || (step.dtype != DType::F16 && fits)
    }
}

/// `i` is the last operation of the tree, in which rows are reduced.
pub(super) fn find(device: &RocmDevice, graph: &Graph<'_>, i: usize) -> Option<Found> {
    let kind = RowShape::of(graph, i)?;
    let tree = Tree::of(graph, &kind, i).filter(|tree| tree.nodes.len() > 1)?;
    let reduces = |&node: &usize| matches!(graph.node(node).operation, Operation::Reduce(_));
    if !tree.nodes.iter().any(reduces) {
        return None;
    }
    found(device, graph, kind, tree)
}

/// The same for elementwise operations, if there are more of them than `least`.
pub(super) fn find_elements(device: &RocmDevice, graph: &Graph<'_>, i: usize, least: usize) -> Option<Found> {
    let kinds = [RowShape::of_flat_elements(graph, i), RowShape::of_elements(graph, i)];
    let trees = kinds.into_iter().flatten().filter_map(|kind| Some((Tree::of(graph, &kind, i)?, kind)));
    let larger = |(tree, _): &(Tree, RowShape)| Reverse(tree.nodes.len());
    let (tree, kind) = trees.min_by_key(larger).filter(|(tree, _)| tree.nodes.len() > least)?;
    found(device, graph, kind, tree)
}

fn found<'a>(device: &RocmDevice, graph: &Graph<'a>, kind: RowShape, tree: Tree<'a>) -> Option<Found> {
    let cover = tree.cover(graph)?;
    let Steps { steps, results, parameters, in_f32 } = tree.steps(graph, &kind)?;
    // Sums have the order of the reductions' own kernels, which depends on the dtype.
    let reduced = steps.iter().filter(|step| step.function.is_reduction());
    let reduced: SmallVec<[usize; 4]> = reduced.map(|step| step.dtype.size_in_bytes()).collect();
    let elements: SmallVec<[bool; 5]> =
        tree.inputs.iter().map(|input| input.placement.strides.last() == Some(&1)).collect();
    let read = tree.inputs.iter().zip(&elements).filter(|&(_, &elements)| elements);
    let mut sizes: SmallVec<[usize; 8]> = read.map(|(input, _)| input.dtype().size_in_bytes()).collect();
    let mut written: SmallVec<[Per; MOST_RESULTS]> = SmallVec::new();
    let mut values: SmallVec<[Slot; MOST_RESULTS]> = SmallVec::new();
    for node in tree.results(graph).map(|node| graph.node(node)) {
        let per = kind.per(node)?;
        if per == Per::Element {
            sizes.push(node.result.dtype().size_in_bytes());
        }
        written.push(per);
        values.push(node.result);
    }
    // Threads and vectors are those of the reductions.
    let widest = sizes.into_iter().max().unwrap_or_default();
    let &size = reduced.first().unwrap_or(&widest);
    let width = VECTOR.checked_div(size)?;
    let alike = widest <= size && reduced.iter().all(|&other| other == size);
    let aligned = |input: &Input<'_>| {
        let strides = input.placement.strides.split_last().map_or(&[][..], |(_, of_rows)| of_rows);
        input.placement.offset.is_multiple_of(width)
            && strides.iter().all(|stride| stride.is_multiple_of(width))
    };
    let aligned = tree.inputs.iter().zip(&elements).all(|(input, &elements)| !elements || aligned(input));
    if !alike || !aligned || !kind.n.is_multiple_of(width) || kind.n.saturating_mul(size) > MOST_BYTES {
        return None;
    }
    let results = results.into_iter().zip(written).collect();
    let per = |&elements: &bool| if elements { Per::Element } else { Per::Row };
    let operands = tree.inputs.iter().zip(&elements).map(|(input, of)| (input.dtype(), per(of))).collect();
    let RowShape { rows, n, .. } = kind;
    let threads = if reduced.is_empty() {
        n.div_ceil(width * FEW_VECTORS).next_power_of_two().clamp(2, THREADS)
    } else {
        threads_per_row(size, n, THREADS)
    };
    let vectors = n.div_ceil(width * threads).next_power_of_two();
    let code = Code::Rows(RowExpression { operands, steps, results, width, vectors });
    let kernel = device.extension::<Generated>().kernel(device, code)?;
    let tree_of_rows = RowTree { kernel, elements, parameters, rows, n, width, threads, in_f32 };
    Found::new(tree_of_rows, tree.operands(&kind), values, cover)
}
