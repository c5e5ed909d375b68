//! Who reads what among recorded operations.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::fusion::Operation;
use crate::fusion::window::{Node, Recorded};
use crate::storage::Timestamp;

/// Whether two operands are the same elements in the same layout.
pub(super) fn is_same((a, view): &Recorded, (b, other): &Recorded) -> bool {
    Arc::ptr_eq(a, b) && (Arc::ptr_eq(view, other) || view.is_same(other))
}

pub(super) struct Graph<'a> {
    nodes: &'a [Node],
    uses: Vec<Uses>,
}

/// What becomes of a result.
#[derive(Default)]
struct Uses {
    /// The operations that read it, the last first.
    readers: SmallVec<[u32; 4]>,
    /// Whether somebody else may read it: a tensor has it.
    held: bool,
    /// Neither unread, nor part of a pattern.
    free: bool,
    /// Where it runs: in its own place, or in that of another one of its pattern.
    place: usize,
}

impl<'a> Graph<'a> {
    pub(super) fn new(nodes: &'a [Node], at: Timestamp) -> Self {
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

    pub(super) fn node(&self, i: usize) -> &'a Node {
        &self.nodes[i]
    }

    pub(super) fn is_read(&self, i: usize) -> bool {
        self.uses[i].held || !self.uses[i].readers.is_empty()
    }

    pub(super) fn is_free(&self, i: usize) -> bool {
        self.uses[i].free
    }

    /// It runs in that place, as part of a pattern.
    pub(super) fn take(&mut self, i: usize, place: usize) {
        self.uses[i].free = false;
        self.uses[i].place = place;
    }

    /// The recorded operation that gives an operand.
    pub(super) fn source(&self, (value, _): &Recorded) -> Option<usize> {
        let i = value.index();
        self.nodes.get(i).is_some_and(|node| Arc::ptr_eq(&node.result, value)).then_some(i)
    }

    /// The operation that gives an operand, if that is all that it is for: nobody else reads the result, and it is read as a whole,
    /// in its order.
    pub(super) fn only_for(&self, operand: &Recorded) -> Option<(usize, &'a Operation, &'a [Recorded])> {
        let from = self.source(operand)?;
        let node = self.node(from);
        let whole = operand.1.is_whole(node.result.len());
        let uses = &self.uses[from];
        let only = whole && uses.free && !uses.held && uses.readers.len() == 1;
        only.then_some((from, &node.operation, &node.operands[..]))
    }

    /// The first of the recorded operations that read a result.
    pub(super) fn first_reader(&self, i: usize) -> Option<usize> {
        self.uses[i].readers.last().map(|&reader| reader as usize)
    }

    /// Whether nobody reads a result but these operations.
    pub(super) fn is_only_read_by(&self, i: usize, nodes: &[usize]) -> bool {
        let Uses { held, readers, .. } = &self.uses[i];
        !held && readers.iter().all(|&reader| nodes.contains(&(reader as usize)))
    }

    /// Whether these operations can give a result in a place and leave it to all others that read it: those run later.
    pub(super) fn is_read_later(&self, i: usize, nodes: &[usize], place: usize) -> bool {
        let mut readers = self.uses[i].readers.iter().map(|&reader| reader as usize);
        readers.all(|reader| nodes.contains(&reader) || self.uses[reader].place > place)
    }

    /// Whether all recorded operations that read a result, but this one, come after a place.
    pub(super) fn is_read_after(&self, i: usize, reader: usize, place: usize) -> bool {
        let mut others = self.uses[i].readers.iter().filter(|&&other| other as usize != reader);
        others.all(|&other| other as usize > place)
    }

    /// The only reader of a result that no tensor has.
    pub(super) fn only_reader(&self, i: usize) -> Option<usize> {
        match &self.uses[i] {
            Uses { held: false, readers, .. } if readers.len() == 1 => Some(readers[0] as usize),
            _ => None,
        }
    }
}
