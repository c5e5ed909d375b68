//! Recorded operations as data: what each reads, who reads what it gives, and which of them one launch may replace. Kernels, threads and
//! the kinds of operations are not known here.

mod cover;
mod key;
#[cfg(test)]
mod tests;
mod view;

use std::sync::Arc;

use candle_core::DType;
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

use crate::storage::{Timestamp, Value};
pub(super) use cover::{Cover, Covers};
pub(super) use key::Key;
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

    /// Adds what operations are told apart by: two have equal words if they are the same but for weights and their addresses, and no words
    /// are the beginning of others.
    fn write_key(&self, words: &mut Vec<u64>);
}

/// An operand, as a tensor would have it.
pub(super) type Recorded = (Arc<Value>, Arc<View>);

/// A value of recorded operations: what one of them gives, or what was there before. It stands for all values in its place, so that what
/// is planned for some operations holds for all that are alike.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    /// Those of results are their operations' places; the others follow in the order in which they are read first.
    number: u32,
    /// The operation that gives it, or that reads it as this operand.
    node: u32,
    operand: Option<u32>,
    dtype: DType,
    len: usize,
}

impl Slot {
    pub(super) fn dtype(&self) -> DType {
        self.dtype
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The value in this place, among those of other operations that are alike.
    pub(super) fn of<'a, O>(self, node: impl FnOnce(usize) -> Option<&'a Node<O>>) -> Option<&'a Arc<Value>>
    where
        O: 'a,
    {
        let node = node(self.node as usize)?;
        match self.operand {
            None => Some(&node.result),
            Some(operand) => node.operands.get(operand as usize).map(|(value, _)| value),
        }
    }
}

/// Whether it is the same value, wherever it is read.
impl PartialEq for Slot {
    fn eq(&self, other: &Self) -> bool {
        self.number == other.number
    }
}

/// An operand, by its place.
pub(super) type Argument = (Slot, Arc<View>);

/// Whether two operands are the same elements in the same layout.
pub(super) fn is_same((a, view): &Argument, (b, other): &Argument) -> bool {
    a == b && (Arc::ptr_eq(view, other) || view.is_same(other))
}

/// An operation, and what it reads and gives by their places.
pub(super) struct Entry<'a, O> {
    pub(super) operation: &'a O,
    pub(super) operands: SmallVec<[Argument; 3]>,
    pub(super) result: Slot,
    /// Whether a tensor has the result.
    held: bool,
}

/// Recorded operations without their values.
pub(super) struct Outline<'a, O>(Vec<Entry<'a, O>>);

impl<'a, O> Outline<'a, O> {
    /// What no tensor had `at` that point of the program is only read by these operations.
    pub(super) fn new(nodes: &'a [Node<O>], at: Timestamp) -> Self {
        let mut numbers = FxHashMap::with_capacity_and_hasher(4 * nodes.len(), FxBuildHasher);
        for (node, number) in nodes.iter().zip(0..) {
            numbers.insert(Arc::as_ptr(&node.result), number);
        }
        let entry = |(node, i): (&'a Node<O>, u32)| {
            let slot = |value: &Arc<Value>, number, operand| {
                let (dtype, len) = (value.dtype(), value.len());
                Slot { number, node: i, operand, dtype, len }
            };
            let operands = node.operands.iter().zip(0..).map(|((value, view), operand)| {
                let next = numbers.len() as u32;
                let number = *numbers.entry(Arc::as_ptr(value)).or_insert(next);
                (slot(value, number, Some(operand)), view.clone())
            });
            Entry {
                operation: &node.operation,
                operands: operands.collect(),
                result: slot(&node.result, i, None),
                held: node.result.was_held(at),
            }
        };
        Self(nodes.iter().zip(0..).map(entry).collect())
    }
}

/// Recorded operations in their order, and who reads what among them.
pub(super) struct Graph<'a, O> {
    entries: &'a [Entry<'a, O>],
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
    pub(super) fn new(Outline(entries): &'a Outline<'a, O>) -> Self {
        let mut graph = Self { entries, uses: entries.iter().map(|_| Uses::default()).collect() };
        for (i, entry) in entries.iter().enumerate().rev() {
            let uses = &mut graph.uses[i];
            uses.place = i;
            uses.held = entry.held;
            uses.free = uses.held || !uses.readers.is_empty();
            if uses.free {
                for operand in &entry.operands {
                    if let Some(from) = graph.source(operand) {
                        graph.uses[from].readers.push(i as u32);
                    }
                }
            }
        }
        graph
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn node(&self, i: usize) -> &'a Entry<'a, O> {
        &self.entries[i]
    }

    pub(super) fn is_read(&self, i: usize) -> bool {
        self.uses[i].held || !self.uses[i].readers.is_empty()
    }

    /// Whether a result is read, and its operation not yet part of a launch with others.
    pub(super) fn is_free(&self, i: usize) -> bool {
        self.uses[i].free
    }

    /// The recorded operation that gives an operand.
    pub(super) fn source(&self, (slot, _): &Argument) -> Option<usize> {
        let number = slot.number as usize;
        (number < self.entries.len()).then_some(number)
    }

    /// The operation that gives an operand, if that is all that it is for: nobody else reads the result, and it is read as a whole,
    /// in its order.
    pub(super) fn only_for(&self, operand: &Argument) -> Option<(usize, &'a O, &'a [Argument])> {
        self.only_reader(self.source(operand)?)?;
        self.whole(operand)
    }

    /// The same of a result that these operations read, each of them once.
    pub(super) fn only_for_these(
        &self,
        operand: &Argument,
        readers: &[usize],
    ) -> Option<(usize, &'a O, &'a [Argument])> {
        let from = self.source(operand)?;
        let once = self.is_only_read_by(from, readers) && self.uses[from].readers.len() == readers.len();
        if once { self.whole(operand) } else { None }
    }

    /// The operation that gives an operand, if that is still free, and the operand all of its result in its order.
    fn whole(&self, operand: &Argument) -> Option<(usize, &'a O, &'a [Argument])> {
        let from = self.source(operand)?;
        let node = self.node(from);
        let whole = operand.1.is_whole(node.result.len()) && self.is_free(from);
        whole.then_some((from, node.operation, &node.operands[..]))
    }

    /// The only reader of a result that no tensor has.
    pub(super) fn only_reader(&self, i: usize) -> Option<usize> {
        let mut readers = self.readers(i)?;
        readers.next().filter(|_| readers.next().is_none())
    }

    /// The operations that read a result, if no tensor has it.
    pub(super) fn readers(&self, i: usize) -> Option<impl Iterator<Item = usize>> {
        let Uses { held, readers, .. } = &self.uses[i];
        (!held).then(|| readers.iter().map(|&reader| reader as usize))
    }

    /// Whether nobody reads a result but these operations.
    pub(super) fn is_only_read_by(&self, i: usize, nodes: &[usize]) -> bool {
        self.readers(i).is_some_and(|mut readers| readers.all(|reader| nodes.contains(&reader)))
    }
}
