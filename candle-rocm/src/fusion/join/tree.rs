//! Operations that one generated kernel computes: they grow from the last one, along operands that nobody else reads, or that the
//! kernel writes for those others.

use std::sync::Arc;

use candle_core::{DType, Layout, WithDType};
use smallvec::{SmallVec, smallvec};

use super::Covers;
use super::graph::{Graph, is_same};
use crate::fusion::generated::Generated;
use crate::fusion::generated::steps::{Function, MOST_STEPS, Parameters, Source, Step, type_name};
use crate::fusion::view::View;
use crate::fusion::wide::{self, Widened};
use crate::fusion::window::{Node, Recorded};
use crate::storage_slice::each_dtype;
use crate::{Launch, Result, RocmDevice, RocmError};

/// Values of parameters, with the dtype that each is rounded to.
pub(super) type Arguments = SmallVec<[(DType, f64); 4]>;

/// What the operations of a tree have in common.
pub(super) trait Kind {
    /// Operands at most.
    const MOST: usize;
    /// Results at most.
    const MOST_RESULTS: usize;

    /// An operation that kernels are generated for, and its parameters.
    fn function(&self, node: &Node) -> Option<(Function, Parameters)>;

    /// Whether an operation reads what another one of the tree gives as the kernel has it.
    fn reads(&self, reader: &Node, operand: &Recorded, from: &Node) -> bool;

    /// What an operation reads from outside, in the layout that the kernel takes.
    fn operand(&self, reader: &Node, operand: &Recorded) -> Option<Recorded>;

    /// Whether what gives this operand, in that layout, can be computed wherever it is read, whatever its shape.
    fn is_spread(&self, _: &Recorded) -> bool {
        false
    }

    /// Whether a step on a half type can be one [in f32](wide).
    fn may_widen(&self, _: &Step) -> bool {
        true
    }
}

/// Operations, and what they read from outside.
pub(super) struct Tree {
    pub(super) nodes: Covers,
    pub(super) operands: SmallVec<[Recorded; 5]>,
    spread: Spread,
}

/// Operations on fewer elements than the kernel's, as on one for each channel, which are computed wherever they are read; and the
/// layout in which they are.
type Spread = SmallVec<[(usize, Arc<View>); 2]>;

fn spread_view(spread: &Spread, node: usize) -> Option<&Arc<View>> {
    spread.iter().find(|(of, _)| *of == node).map(|(_, view)| view)
}

/// What a kernel does.
pub(super) struct Steps {
    pub(super) steps: SmallVec<[Step; 8]>,
    /// Those that give the tree's results, in the order of these.
    pub(super) results: SmallVec<[u8; 4]>,
    pub(super) parameters: Arguments,
    /// Whether it computes [in f32](wide) in place of half types.
    pub(super) wide: bool,
}

impl Tree {
    /// The largest tree whose result is that of operation `i`.
    pub(super) fn of<K: Kind>(graph: &Graph<'_>, kind: &K, i: usize) -> Option<Self> {
        kind.function(graph.node(i))?;
        let mut tree = Self { nodes: smallvec![i], operands: SmallVec::new(), spread: Spread::new() };
        tree.operands = tree.with_operands_of(graph, kind, i)?;
        while let Some(larger) = tree.grown(graph, kind) {
            tree = larger;
        }
        Some(tree)
    }

    /// With one more of the operations that it reads from, of which nobody else reads.
    fn grown<K: Kind>(&self, graph: &Graph<'_>, kind: &K) -> Option<Self> {
        if self.nodes.len() == MOST_STEPS {
            return None;
        }
        self.operands.iter().find_map(|operand| self.with(graph, kind, operand))
    }

    /// With the operation that gives an operand.
    fn with<K: Kind>(&self, graph: &Graph<'_>, kind: &K, operand: &Recorded) -> Option<Self> {
        let from = graph.source(operand)?;
        let is_spread = kind.function(graph.node(from)).is_none();
        if is_spread && !(kind.is_spread(operand) && spread_function(graph.node(from)).is_some()) {
            return None;
        }
        let &place = self.nodes.last()?;
        if !graph.is_free(from) || !graph.is_read_later(from, &self.nodes, place) {
            return None;
        }
        let mut tree = Self {
            nodes: self.nodes.clone(),
            operands: self
                .operands
                .iter()
                .filter(|other| graph.source(other) != Some(from))
                .cloned()
                .collect(),
            spread: self.spread.clone(),
        };
        tree.nodes.push(from);
        tree.nodes.sort_unstable();
        if is_spread {
            tree.spread.push((from, operand.1.clone()));
        }
        let written = tree.results(graph);
        let (count, spread) = written.fold((0, false), |(count, spread), i| {
            (count + 1, spread || spread_view(&tree.spread, i).is_some())
        });
        if count > K::MOST_RESULTS || spread {
            return None;
        }
        let reads = |&reader: &usize| {
            let mut operands = graph.node(reader).operands.iter();
            operands.all(|operand| {
                graph.source(operand) != Some(from) || tree.reads(graph, kind, reader, operand, from)
            })
        };
        if !tree.nodes.iter().all(reads) {
            return None;
        }
        tree.operands = tree.with_operands_of(graph, kind, from)?;
        Some(tree)
    }

    /// Whether an operation can read what another one of the tree gives.
    fn reads<K: Kind>(
        &self,
        graph: &Graph<'_>,
        kind: &K,
        reader: usize,
        operand: &Recorded,
        from: usize,
    ) -> bool {
        let (node, own) = (graph.node(reader), spread_view(&self.spread, reader));
        match spread_view(&self.spread, from) {
            Some(view) => laid_out(kind, node, operand, own).is_some_and(|(_, own)| own.is_same(view)),
            None => own.is_none() && kind.reads(node, operand, graph.node(from)),
        }
    }

    /// The operands, and what one more of its operations reads that none of them gives; `None` if it is too much, or the kernel
    /// cannot read it.
    fn with_operands_of<K: Kind>(
        &self,
        graph: &Graph<'_>,
        kind: &K,
        i: usize,
    ) -> Option<SmallVec<[Recorded; 5]>> {
        let mut operands = self.operands.clone();
        let (node, own) = (graph.node(i), spread_view(&self.spread, i));
        for operand in &node.operands {
            if let Some(from) = graph.source(operand).filter(|from| self.nodes.contains(from)) {
                if !self.reads(graph, kind, i, operand, from) {
                    return None;
                }
                continue;
            }
            let operand = laid_out(kind, node, operand, own)?;
            if !operands.iter().any(|known| is_same(known, &operand)) {
                if operands.len() == K::MOST {
                    return None;
                }
                operands.push(operand);
            }
        }
        Some(operands)
    }

    /// Those of its operations whose results are written, in their order.
    pub(super) fn results(&self, graph: &Graph<'_>) -> impl Iterator<Item = usize> {
        results(graph, &self.nodes)
    }

    /// What the kernel does, and its parameters.
    pub(super) fn steps<K: Kind>(&self, device: &RocmDevice, graph: &Graph<'_>, kind: &K) -> Option<Steps> {
        let mut all: Arguments = SmallVec::new();
        let mut steps = SmallVec::new();
        for &i in &self.nodes {
            let node = graph.node(i);
            let spread = spread_view(&self.spread, i);
            let (function, parameters) =
                if spread.is_some() { spread_function(node) } else { kind.function(node) }?;
            let of = node.operands.first()?.0.dtype();
            all.extend(parameters.into_iter().map(|value| (of, value)));
            let source = |operand: &Recorded| {
                let inside =
                    graph.source(operand).and_then(|from| self.nodes.iter().position(|&node| node == from));
                match inside {
                    Some(step) => Some(Source::Step(step as u8)),
                    None => {
                        let operand = laid_out(kind, node, operand, spread)?;
                        let known = self.operands.iter().position(|known| is_same(known, &operand))?;
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
        let may_widen = steps.iter().all(|step| kind.may_widen(step));
        if !may_widen || !wide::is_worth_it(&steps) || !device.extension::<Generated>().can_compile(device) {
            return Some(Steps { steps, results, parameters: all, wide: false });
        }
        let operands = self.operands.iter().map(|(value, _)| value.dtype());
        let Widened { steps, results } = wide::steps(&steps, operands, results)?;
        let parameters = all.into_iter().map(|(dtype, value)| wide::parameter(dtype, value)).collect();
        Some(Steps { steps, results, parameters, wide: true })
    }
}

/// The last of these operations, and what somebody else reads.
fn results(graph: &Graph<'_>, nodes: &[usize]) -> impl Iterator<Item = usize> {
    nodes.iter().copied().filter(move |&i| nodes.last() == Some(&i) || !graph.is_only_read_by(i, nodes))
}

fn spread_function(node: &Node) -> Option<(Function, Parameters)> {
    is_named(node).then(|| Function::of(&node.operation)).flatten()
}

/// What an operation reads from outside, in the layout that the kernel takes.
fn laid_out<K: Kind>(
    kind: &K,
    reader: &Node,
    operand: &Recorded,
    spread: Option<&Arc<View>>,
) -> Option<Recorded> {
    let Some(spread) = spread else { return kind.operand(reader, operand) };
    let (value, view) = operand;
    let (strides, first) = if view.stride().iter().all(|&stride| stride == 0) {
        (vec![0; spread.dims().len()], 0)
    } else if view.is_contiguous() && view.len() == reader.result.len() {
        (spread.stride().to_vec(), spread.start_offset())
    } else {
        return None;
    };
    let offset = view.start_offset() + first;
    Some((value.clone(), View::new(Layout::new(spread.shape().clone(), strides, offset))))
}

/// Whether kernels have a name for all of an operation's dtypes.
pub(super) fn is_named(node: &Node) -> bool {
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
