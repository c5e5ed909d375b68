//! Operations that one generated kernel computes: they grow from the last one, along operands that nobody else reads, or that the
//! kernel writes for those others.

use candle_core::{DType, Layout, WithDType};
use smallvec::{SmallVec, smallvec};

use super::{Entry, Graph};
use crate::count::saturating;
use crate::fusion::f32_accumulation::{self, InF32};
use crate::fusion::generated::steps::{Function, MOST_STEPS, Parameters, Source, Step, type_name};
use crate::fusion::graph::{Argument, Cover, Covers, View};
use crate::storage_slice::each_dtype;
use crate::{Launch, Result, RocmError};

/// Values of parameters, with the dtype that each is rounded to.
pub(super) type Arguments = SmallVec<[(DType, f64); 4]>;

/// Strides of as many dimensions as most operands have.
pub(super) type Strides = SmallVec<[usize; 6]>;

/// Where the elements are, in dimensions that are known.
#[derive(Clone, PartialEq)]
pub(super) struct Placement {
    pub(super) strides: Strides,
    /// Of the first one.
    pub(super) offset: usize,
}

/// The strides of elements without gaps.
pub(super) fn contiguous(dims: &[usize]) -> Strides {
    (1..=dims.len()).map(|axis| saturating(&dims[axis..])).collect()
}

/// What a tree reads from outside, in the layout that its kernel takes. Its dimensions are the same for all.
pub(super) struct Input<'a> {
    /// As the operation has it.
    pub(super) operand: &'a Argument,
    pub(super) placement: Placement,
}

impl Input<'_> {
    pub(super) fn dtype(&self) -> DType {
        self.operand.0.dtype()
    }

    fn is_same(&self, other: &Self) -> bool {
        self.operand.0 == other.operand.0 && self.placement == other.placement
    }

    /// The operand that the kernel takes.
    fn recorded(&self, dims: &[usize]) -> Argument {
        let ((value, view), Placement { strides, offset }) = (self.operand, &self.placement);
        let as_recorded = view.start_offset() == *offset && view.stride() == &strides[..];
        let view = if as_recorded && view.dims() == dims {
            view.clone()
        } else {
            View::new(Layout::new(dims.into(), strides.to_vec(), *offset))
        };
        (*value, view)
    }
}

/// What the operations of a tree have in common.
pub(super) trait TreeKind {
    /// Operands at most.
    const MOST: usize;
    /// Results at most.
    const MOST_RESULTS: usize;

    /// The dimensions of what is read.
    fn dims(&self) -> &[usize];

    /// An operation that kernels are generated for, and its parameters.
    fn function(&self, node: &Entry<'_>) -> Option<(Function, Parameters)>;

    /// Whether an operation reads what another one of the tree gives as the kernel has it.
    fn reads(&self, reader: &Entry<'_>, operand: &Argument, from: &Entry<'_>) -> bool;

    /// Where what an operation reads from outside is, as the kernel takes it.
    fn placement(&self, reader: &Entry<'_>, operand: &Argument) -> Option<Placement>;

    /// Whether what gives this can be computed wherever it is read, whatever its shape.
    fn is_spread(&self, _: &Input<'_>) -> bool {
        false
    }

    /// Whether a step on a half type can be one [in f32](f32_accumulation).
    fn may_be_in_f32(&self, _: &Step) -> bool {
        true
    }
}

/// Operations, and what they read from outside.
pub(super) struct Tree<'a> {
    pub(super) nodes: Covers,
    pub(super) inputs: SmallVec<[Input<'a>; 5]>,
    /// Operations on fewer elements than the kernel's, as on one for each channel, which are computed wherever they are read; and the
    /// layout in which they are.
    spread: SmallVec<[(usize, Placement); 2]>,
}

/// What a kernel does.
pub(super) struct Steps {
    pub(super) steps: SmallVec<[Step; 8]>,
    /// Those that give the tree's results, in the order of these.
    pub(super) results: SmallVec<[u8; 4]>,
    pub(super) parameters: Arguments,
    /// Whether it computes [in f32](f32_accumulation) in place of half types.
    pub(super) in_f32: bool,
}

impl<'a> Tree<'a> {
    /// The largest tree whose result is that of operation `i`.
    pub(super) fn of<K: TreeKind>(graph: &Graph<'a>, kind: &K, i: usize) -> Option<Self> {
        kind.function(graph.node(i))?;
        let mut tree = Self { nodes: smallvec![i], inputs: SmallVec::new(), spread: SmallVec::new() };
        tree.inputs.extend(tree.inputs_of(graph, kind, i)?);
        while tree.nodes.len() < MOST_STEPS
            && (0..tree.inputs.len()).any(|input| tree.grow(graph, kind, input).is_some())
        {}
        Some(tree)
    }

    /// Takes in the operation that gives an input, of which nobody else reads, or only later; `None` if it can't be part of the tree.
    fn grow<K: TreeKind>(&mut self, graph: &Graph<'a>, kind: &K, input: usize) -> Option<()> {
        let input = &self.inputs[input];
        let from = graph.source(input.operand)?;
        let is_spread = kind.function(graph.node(from)).is_none();
        if is_spread && !(kind.is_spread(input) && spread_function(graph.node(from)).is_some()) {
            return None;
        }
        let &place = self.nodes.last()?;
        if !graph.is_free(from) || !graph.is_read_later(from, &self.nodes, place) {
            return None;
        }
        if is_spread {
            self.spread.push((from, input.placement.clone()));
        }
        let at = self.nodes.partition_point(|&node| node < from);
        self.nodes.insert(at, from);
        let Some(inputs) =
            self.is_sound(graph, kind, from).then(|| self.inputs_of(graph, kind, from)).flatten()
        else {
            self.nodes.remove(at);
            if is_spread {
                self.spread.pop();
            }
            return None;
        };
        self.inputs.retain(|input| graph.source(input.operand) != Some(from));
        self.inputs.extend(inputs);
        Some(())
    }

    /// Whether the kernel can write all results, and all others can read what `from` gives.
    fn is_sound<K: TreeKind>(&self, graph: &Graph<'a>, kind: &K, from: usize) -> bool {
        let mut results = 0;
        for i in self.results(graph) {
            results += 1;
            if results > K::MOST_RESULTS || self.spread_as(i).is_some() {
                return false;
            }
        }
        self.nodes.iter().all(|&reader| {
            let mut operands = graph.node(reader).operands.iter();
            operands.all(|operand| {
                graph.source(operand) != Some(from) || self.reads(graph, kind, reader, operand, from)
            })
        })
    }

    /// The layout of an operation that is computed wherever it is read.
    fn spread_as(&self, node: usize) -> Option<&Placement> {
        self.spread.iter().find(|(of, _)| *of == node).map(|(_, placement)| placement)
    }

    /// Whether an operation can read what another one of the tree gives.
    fn reads<K: TreeKind>(
        &self,
        graph: &Graph<'a>,
        kind: &K,
        reader: usize,
        operand: &'a Argument,
        from: usize,
    ) -> bool {
        match self.spread_as(from) {
            Some(placement) => {
                let read = self.input(graph, kind, reader, operand);
                read.is_some_and(|read| read.placement == *placement)
            }
            None => {
                self.spread_as(reader).is_none() && kind.reads(graph.node(reader), operand, graph.node(from))
            }
        }
    }

    /// What an operation reads from outside, in the layout that the kernel takes.
    fn input<K: TreeKind>(
        &self,
        graph: &Graph<'a>,
        kind: &K,
        reader: usize,
        operand: &'a Argument,
    ) -> Option<Input<'a>> {
        let node = graph.node(reader);
        let view = &operand.1;
        let placement = match self.spread_as(reader) {
            None => kind.placement(node, operand)?,
            Some(Placement { strides, .. }) if view.is_constant() => {
                Placement { strides: smallvec![0; strides.len()], offset: view.start_offset() }
            }
            Some(Placement { strides, offset })
                if view.is_contiguous() && view.len() == node.result.len() =>
            {
                Placement { strides: strides.clone(), offset: view.start_offset() + offset }
            }
            Some(_) => return None,
        };
        Some(Input { operand, placement })
    }

    /// What one of its operations reads that neither others give nor is read already, but in its place; `None` if it is too much, or
    /// the kernel cannot read it.
    fn inputs_of<K: TreeKind>(
        &self,
        graph: &Graph<'a>,
        kind: &K,
        i: usize,
    ) -> Option<SmallVec<[Input<'a>; 3]>> {
        let kept = || self.inputs.iter().filter(|input| graph.source(input.operand) != Some(i));
        let mut inputs: SmallVec<[Input<'a>; 3]> = SmallVec::new();
        for operand in &graph.node(i).operands {
            if let Some(from) = graph.source(operand).filter(|from| self.nodes.contains(from)) {
                if !self.reads(graph, kind, i, operand, from) {
                    return None;
                }
                continue;
            }
            let input = self.input(graph, kind, i, operand)?;
            let is_known =
                kept().any(|known| known.is_same(&input)) || inputs.iter().any(|known| known.is_same(&input));
            if !is_known {
                if kept().count() + inputs.len() == K::MOST {
                    return None;
                }
                inputs.push(input);
            }
        }
        Some(inputs)
    }

    /// The operands of the kernel.
    pub(super) fn operands<K: TreeKind>(&self, kind: &K) -> SmallVec<[Argument; 5]> {
        self.inputs.iter().map(|input| input.recorded(kind.dims())).collect()
    }

    /// Those of its operations whose results are written, in their order.
    pub(super) fn results(&self, graph: &Graph<'_>) -> impl Iterator<Item = usize> {
        let nodes = &self.nodes;
        nodes.iter().copied().filter(|&i| nodes.last() == Some(&i) || !graph.is_only_read_by(i, nodes))
    }

    /// All of them, in the place of the last one.
    pub(super) fn cover(&self, graph: &Graph<'_>) -> Option<Cover> {
        let written: SmallVec<[usize; 4]> = self.results(graph).collect();
        graph.cover(self.nodes.clone(), &written, *self.nodes.last()?)
    }

    /// What the kernel does, and its parameters.
    pub(super) fn steps<K: TreeKind>(&self, graph: &Graph<'a>, kind: &K) -> Option<Steps> {
        let mut all: Arguments = SmallVec::new();
        let mut steps = SmallVec::new();
        for &i in &self.nodes {
            let node = graph.node(i);
            let is_spread = self.spread_as(i).is_some();
            let (function, parameters) = if is_spread { spread_function(node) } else { kind.function(node) }?;
            let of = node.operands.first()?.0.dtype();
            all.extend(parameters.into_iter().map(|value| (of, value)));
            let source = |operand: &'a Argument| {
                let inside =
                    graph.source(operand).and_then(|from| self.nodes.iter().position(|&node| node == from));
                match inside {
                    Some(step) => Some(Source::Step(step as u8)),
                    None => {
                        let input = self.input(graph, kind, i, operand)?;
                        let known = self.inputs.iter().position(|known| known.is_same(&input))?;
                        Some(Source::Operand(known as u8))
                    }
                }
            };
            let sources = node.operands.iter().map(source).collect::<Option<_>>()?;
            steps.push(Step { function, sources, dtype: node.result.dtype() });
        }
        let results = self
            .nodes
            .iter()
            .zip(0..)
            .filter_map(|(&node, step)| self.results(graph).any(|result| result == node).then_some(step));
        let results: SmallVec<[u8; 4]> = results.collect();
        let may_be_in_f32 = steps.iter().all(|step| kind.may_be_in_f32(step));
        if !may_be_in_f32 || !f32_accumulation::is_worth_it(&steps) {
            return Some(Steps { steps, results, parameters: all, in_f32: false });
        }
        let operands = self.inputs.iter().map(Input::dtype);
        let InF32 { steps, results } = f32_accumulation::steps(&steps, operands, results)?;
        let parameters =
            all.into_iter().map(|(dtype, value)| f32_accumulation::parameter(dtype, value)).collect();
        Some(Steps { steps, results, parameters, in_f32: true })
    }
}

fn spread_function(node: &Entry<'_>) -> Option<(Function, Parameters)> {
    is_named(node).then(|| Function::of(node.operation)).flatten()
}

/// Whether kernels have a name for all of an operation's dtypes.
pub(super) fn is_named(node: &Entry<'_>) -> bool {
    let named = |dtype| type_name(dtype).is_some();
    named(node.result.dtype()) && node.operands.iter().all(|(value, _)| named(value.dtype()))
}

/// The parameters, after the kernel's other arguments.
pub(super) fn bind(op: &'static str, launch: &mut Launch<'_>, parameters: &Arguments) -> Result<()> {
    for &(dtype, value) in parameters {
        each_dtype!(dtype, T => { launch.arg(&<T as WithDType>::from_f64(value)); }, else {
            return Err(RocmError::UnsupportedDType { op, dtype });
        });
    }
    Ok(())
}
