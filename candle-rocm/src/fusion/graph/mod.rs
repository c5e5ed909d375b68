//! Recorded operations as data: what each reads, who reads what it gives, and which of them one launch may replace. Kernels, threads and
//! the kinds of operations are not known here.

mod cover;
#[cfg(test)]
mod tests;
mod view;

use std::sync::Arc;

use smallvec::SmallVec;

use crate::storage::{Timestamp, Value};
pub(super) use cover::{Cover, Covers};
pub(super) use view::{View, Views};

/// A recorded operation `O`.
pub(super) struct Node<O> {
    pub(super) operation: O,
    pub(super) operands: SmallVec<[Recorded; 3]>,
    pub(super) result: Arc<Value>,
}

/// What is to be known of an operation here.
pub(super) trait Recordable {
    /// Whether it does more than give a result, so that no other operation may run on its other side.
    fn has_effects(&self) -> bool;
}

/// An operand, as a tensor would have it.
pub(super) type Recorded = (Arc<Value>, Arc<View>);

/// Whether two operands are the same elements in the same layout.
pub(super) fn is_same((a, view): &Recorded, (b, other): &Recorded) -> bool {
    Arc::ptr_eq(a, b) && (Arc::ptr_eq(view, other) || view.is_same(other))
}

/// Recorded operations in their order, and who reads what among them.
pub(super) struct Graph<'a, O> {
    nodes: &'a [Node<O>],
    uses: Vec<Uses>,
}

/// What becomes of a result.
#[derive(Default)]
struct Uses {
    /// The operations that read it, the last first.
    readers: SmallVec<[u32; 4]>,
    /// Whether somebody else may read it: a tensor has it.
    held: bool,
    /// Neither unread, nor part of a launch with others.
    free: bool,
    /// Where it runs: in its own place, or in that of another one of its launch.
    place: usize,
}

impl<'a, O> Graph<'a, O> {
    /// What no tensor had `at` that point of the program is only read by these operations.
    pub(super) fn new(nodes: &'a [Node<O>], at: Timestamp) -> Self {
        for (i, node) in nodes.iter().enumerate() {
            node.result.set_index(i);
        }
        let mut graph = Self { nodes, uses: nodes.iter().map(|_| Uses::default()).collect() };
        for (i, node) in nodes.iter().enumerate().rev() {
            let uses = &mut graph.uses[i];
            uses.place = i;
            uses.held = node.result.was_held(at);
            uses.free = uses.held || !uses.readers.is_empty();
            if uses.free {
                for operand in &node.operands {
                    if let Some(from) = graph.source(operand) {
                        graph.uses[from].readers.push(i as u32);
                    }
                }
            }
        }
        graph
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn node(&self, i: usize) -> &'a Node<O> {
        &self.nodes[i]
    }

    pub(super) fn is_read(&self, i: usize) -> bool {
        self.uses[i].held || !self.uses[i].readers.is_empty()
    }

    /// Whether a result is read, and its operation not yet part of a launch with others.
    pub(super) fn is_free(&self, i: usize) -> bool {
        self.uses[i].free
    }

    /// The recorded operation that gives an operand.
    pub(super) fn source(&self, (value, _): &Recorded) -> Option<usize> {
        let i = value.index();
        self.nodes.get(i).is_some_and(|node| Arc::ptr_eq(&node.result, value)).then_some(i)
    }

    /// The operation that gives an operand, if that is all that it is for: nobody else reads the result, and it is read as a whole,
    /// in its order.
    pub(super) fn only_for(&self, operand: &Recorded) -> Option<(usize, &'a O, &'a [Recorded])> {
        let from = self.source(operand)?;
        let node = self.node(from);
        let whole = operand.1.is_whole(node.result.len());
        let only = whole && self.is_free(from) && self.only_reader(from).is_some();
        only.then_some((from, &node.operation, &node.operands[..]))
    }

    /// The only reader of a result that no tensor has.
    pub(super) fn only_reader(&self, i: usize) -> Option<usize> {
        match &self.uses[i] {
            Uses { held: false, readers, .. } if readers.len() == 1 => Some(readers[0] as usize),
            _ => None,
        }
    }

    /// Whether nobody reads a result but these operations.
    pub(super) fn is_only_read_by(&self, i: usize, nodes: &[usize]) -> bool {
        let Uses { held, readers, .. } = &self.uses[i];
        !held && readers.iter().all(|&reader| nodes.contains(&(reader as usize)))
    }
}
