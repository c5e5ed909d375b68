//! Operations that one generated kernel computes: they grow from the last one, along operands that nobody else reads, or that the
//! kernel writes for those others.

use candle_core::{DType, WithDType};
use smallvec::{SmallVec, smallvec};

use super::Covers;
use super::graph::{Graph, is_same};
use crate::fusion::generated::steps::{Function, MOST_STEPS, Parameters, Source, Step, type_name};
use crate::fusion::window::{Node, Recorded};
use crate::storage_slice::each_dtype;
use crate::{Launch, Result, RocmError};

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
}

/// Operations, and what they read from outside.
pub(super) struct Tree {
    pub(super) nodes: Covers,
    pub(super) operands: SmallVec<[Recorded; 5]>,
}

impl Tree {
    /// The largest tree whose result is that of operation `i`.
    pub(super) fn of<K: Kind>(graph: &Graph<'_>, kind: &K, i: usize) -> Option<Self> {
        kind.function(graph.node(i))?;
        let mut tree = Self { nodes: smallvec![i], operands: operands(graph, kind, &[i])? };
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
        self.operands.iter().find_map(|operand| {
            let from = graph.source(operand)?;
            kind.function(graph.node(from))?;
            let &place = self.nodes.last()?;
            if !graph.is_free(from) || !graph.is_read_later(from, &self.nodes, place) {
                return None;
            }
            let mut nodes = self.nodes.clone();
            nodes.push(from);
            nodes.sort_unstable();
            if results(graph, &nodes).count() > K::MOST_RESULTS {
                return None;
            }
            let operands = operands(graph, kind, &nodes)?;
            Some(Self { nodes, operands })
        })
    }

    /// Those of its operations whose results are written, in their order.
    pub(super) fn results(&self, graph: &Graph<'_>) -> impl Iterator<Item = usize> {
        results(graph, &self.nodes)
    }

    /// What the kernel does, and its parameters.
    pub(super) fn steps<K: Kind>(
        &self,
        graph: &Graph<'_>,
        kind: &K,
    ) -> Option<(SmallVec<[Step; 8]>, Arguments)> {
        let mut all: Arguments = SmallVec::new();
        let mut steps = SmallVec::new();
        for &i in &self.nodes {
            let node = graph.node(i);
            let (function, parameters) = kind.function(node)?;
            let of = node.operands.first()?.0.dtype();
            all.extend(parameters.into_iter().map(|value| (of, value)));
            let source = |operand: &Recorded| {
                let inside =
                    graph.source(operand).and_then(|from| self.nodes.iter().position(|&node| node == from));
                match inside {
                    Some(step) => Some(Source::Step(step as u8)),
                    None => {
                        let operand = kind.operand(node, operand)?;
                        let known = self.operands.iter().position(|known| is_same(known, &operand))?;
                        Some(Source::Operand(known as u8))
                    }
                }
            };
            let sources = node.operands.iter().map(source).collect::<Option<_>>()?;
            steps.push(Step { function, sources, dtype: node.result.dtype() });
        }
        Some((steps, all))
    }
}

/// The last of these operations, and what somebody else reads.
fn results(graph: &Graph<'_>, nodes: &[usize]) -> impl Iterator<Item = usize> {
    nodes.iter().copied().filter(move |&i| nodes.last() == Some(&i) || !graph.is_only_read_by(i, nodes))
}

/// What these operations read that none of them gives; `None` if it is too much, or the kernel cannot read it.
fn operands<K: Kind>(graph: &Graph<'_>, kind: &K, nodes: &[usize]) -> Option<SmallVec<[Recorded; 5]>> {
    let mut operands: SmallVec<[Recorded; 5]> = SmallVec::new();
    for node in nodes.iter().map(|&node| graph.node(node)) {
        for operand in &node.operands {
            if let Some(from) = graph.source(operand).filter(|from| nodes.contains(from)) {
                if !kind.reads(node, operand, graph.node(from)) {
                    return None;
                }
                continue;
            }
            let operand = kind.operand(node, operand)?;
            if !operands.iter().any(|known| is_same(known, &operand)) {
                if operands.len() == K::MOST {
                    return None;
                }
                operands.push(operand);
            }
        }
    }
    Some(operands)
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
