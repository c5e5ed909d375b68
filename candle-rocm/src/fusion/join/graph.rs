//! Who reads what among recorded operations.

use std::sync::Arc;

use smallvec::SmallVec;

use crate::fusion::Operation;
use crate::fusion::operation::is_whole;
use crate::fusion::window::{Node, Recorded};

/// Whether two operands are the same elements in the same layout.
pub(super) fn is_same((a, l): &Recorded, (b, m): &Recorded) -> bool {
    let alike = l.dims() == m.dims() && l.stride() == m.stride() && l.start_offset() == m.start_offset();
    alike && Arc::ptr_eq(a, b)
}

pub(super) struct Graph<'a> {
    nodes: &'a [Node],
    /// The operations that read each result.
    readers: Vec<SmallVec<[usize; 4]>>,
    /// Whether somebody else may read it: a tensor has it, or an operation recorded meanwhile.
    held: Vec<bool>,
    /// Neither unread, nor part of a pattern.
    free: Vec<bool>,
}

impl<'a> Graph<'a> {
    pub(super) fn new(nodes: &'a [Node]) -> Self {
        for (i, node) in nodes.iter().enumerate() {
            node.result.set_index(i);
        }
        let count = nodes.len();
        let mut graph = Self {
            nodes,
            readers: vec![SmallVec::new(); count],
            held: vec![false; count],
            free: vec![true; count],
        };
        let mut shares = vec![1; count];
        for node in nodes {
            for operand in &node.operands {
                if let Some(from) = graph.source(operand) {
                    shares[from] += 1;
                }
            }
        }
        for i in (0..count).rev() {
            graph.held[i] = Arc::strong_count(&nodes[i].result) > shares[i];
            graph.free[i] = graph.held[i] || !graph.readers[i].is_empty();
            if graph.free[i] {
                for operand in &nodes[i].operands {
                    if let Some(from) = graph.source(operand) {
                        graph.readers[from].push(i);
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
        self.held[i] || !self.readers[i].is_empty()
    }

    pub(super) fn is_free(&self, i: usize) -> bool {
        self.free[i]
    }

    pub(super) fn take(&mut self, i: usize) {
        self.free[i] = false;
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
        let whole = is_whole(&operand.1, node.result.len());
        let only = whole && self.free[from] && !self.held[from] && self.readers[from].len() == 1;
        only.then_some((from, &node.operation, &node.operands[..]))
    }

    /// The first of the recorded operations that read a result.
    pub(super) fn first_reader(&self, i: usize) -> Option<usize> {
        self.readers[i].iter().copied().min()
    }

    /// The only reader of a result that no tensor has.
    pub(super) fn only_reader(&self, i: usize) -> Option<usize> {
        match (self.held[i], self.readers[i].as_slice()) {
            (false, &[reader]) => Some(reader),
            _ => None,
        }
    }
}
