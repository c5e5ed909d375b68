//! Planned operations on their way to the stream.

use std::mem::{self, ManuallyDrop};
use std::sync::{Arc, Mutex};

use smallvec::SmallVec;

use super::join::{Joined, Step};
use super::spent::Spent;
use super::wide;
use super::window::{Node, Recorded, lock};
use crate::common::operand::Operand;
use crate::storage::Failure;
use crate::{Result, RocmDevice, RocmError, RocmStorage};

/// Errors that nobody was told of yet.
#[derive(Default)]
pub(super) struct Failures(Mutex<Vec<Arc<Failure>>>);

impl Failures {
    pub(super) fn first(&self) -> Result<()> {
        let failures = mem::take(&mut *lock(&self.0));
        failures.iter().find_map(|failure| failure.take()).map_or(Ok(()), Err)
    }
}

/// Operations of one plan, in their order.
pub(super) struct Batch {
    nodes: Vec<Option<Node>>,
    steps: Vec<Step>,
    /// The next step.
    at: usize,
    failures: Arc<Failures>,
}

impl Batch {
    /// What the steps say to run, and the operations that stay recorded.
    pub(super) fn new(nodes: Vec<Node>, steps: Vec<Step>, failures: &Arc<Failures>) -> (Self, Vec<Node>) {
        let mut nodes: Vec<Option<Node>> = nodes.into_iter().map(Some).collect();
        let waits = steps.iter().zip(&mut nodes).filter(|(step, _)| matches!(step, Step::Wait));
        let kept = waits.filter_map(|(_, node)| node.take()).collect();
        (Self { nodes, steps, at: 0, failures: failures.clone() }, kept)
    }

    /// Puts the next operation, or launch in place of several, on the stream; `false` if there is none. What is done with is `spent`.
    pub(super) fn advance(&mut self, device: &RocmDevice, spent: &Spent) -> bool {
        while let Some(step) = self.steps.get_mut(self.at) {
            let at = self.at;
            self.at += 1;
            match mem::replace(step, Step::Covered) {
                Step::Alone => {
                    if let Some(node) = self.nodes[at].take() {
                        self.run_alone(device, &node);
                        // Others may wait for what it leaves behind.
                        if !node.operation.has_effects() {
                            spent.keep([node], None);
                        }
                    }
                    return true;
                }
                Step::Unread => {
                    spent.keep(self.nodes[at].take(), None);
                    device.profile().save(1);
                }
                Step::Covered | Step::Wait => {}
                Step::Joined { join, covers } => {
                    self.run_joined(device, &join, &covers);
                    spent.keep(covers.iter().filter_map(|&index| self.nodes[index].take()), Some(join));
                    return true;
                }
            }
        }
        false
    }

    fn run_alone(&self, device: &RocmDevice, node: &Node) {
        let name = node.operation.name();
        let slice = with_operands(device, &node.operands, |operands| {
            let weights = || node.operation.weights(device);
            device.observe_with_weights(name, operands, weights, || node.operation.run(device, operands))
        });
        node.result.set(slice.map_err(|error| {
            let failure = Arc::new(Failure::new(name, RocmError::from_candle(name, error)));
            lock(&self.failures.0).push(failure.clone());
            failure
        }));
    }

    fn run_joined(&self, device: &RocmDevice, join: &Joined, covers: &[usize]) {
        match join.run(device) {
            Ok(Some(results)) => {
                device.profile().save(covers.len() - 1);
                for (value, slice) in results {
                    value.set(Ok(slice));
                }
            }
            // What the joined kernel does not take, or has no memory for, the single ones may.
            Ok(None) | Err(_) => {
                let nodes = covers.iter().filter_map(|&index| self.nodes[index].as_ref());
                let nodes: SmallVec<[&Node; 16]> = nodes.collect();
                let wide = join.wide();
                // In f32 they take more memory.
                if wide.is_empty() || wide::run(device, &nodes, wide).is_err() {
                    nodes.into_iter().for_each(|node| self.run_alone(device, node));
                }
            }
        }
    }
}

/// Operands as storages, which are there while `run` is.
///
/// Their counters are those that every recording thread changes too, so they are not touched: a launch would wait for them longer than
/// for all else that it does on the host.
pub(super) fn with_operands<R>(
    device: &RocmDevice,
    operands: &[Recorded],
    run: impl FnOnce(&[Operand<'_>]) -> R,
) -> R {
    let borrowed = |(value, _): &Recorded| {
        // SAFETY: `operands` and `device` live longer than `run`. Nobody drops the storage, and as `run` only sees it behind a
        // reference, nobody else takes it apart.
        ManuallyDrop::new(unsafe { RocmStorage::borrowed(value, device) })
    };
    let storages: SmallVec<[ManuallyDrop<RocmStorage>; 4]> = operands.iter().map(borrowed).collect();
    let views: SmallVec<[Operand<'_>; 4]> =
        storages.iter().zip(operands).map(|(storage, (_, view))| (&**storage, &***view)).collect();
    run(&views)
}
