//! Planned operations on their way to the stream.

use std::mem;
use std::sync::Arc;

use smallvec::SmallVec;

use super::Node;
use super::f32_accumulation;
use super::graph::Recordable as _;
use super::join::{Action, Found};
use super::operands::{Replaced, with_operands};
use super::panics::caught;
use super::retired::Retired;
use crate::lock::{self, Mutex};
use crate::storage::{Failure, Value};
use crate::{Result, RocmDevice, RocmError};

/// Errors that nobody was told of yet.
#[derive(Default)]
pub(super) struct Failures(Mutex<Vec<Arc<Failure>>, lock::Failures>);

impl Failures {
    pub(super) fn first(&self) -> Result<()> {
        let failures = mem::take(&mut *self.0.lock());
        failures.iter().find_map(|failure| failure.take()).map_or(Ok(()), Err)
    }

    /// Keeps an error whose result is about to get it, too.
    pub(super) fn keep(&self, failure: Arc<Failure>) {
        let mut kept = self.0.lock();
        // Whenever it would grow: only those stay that may come to be the first.
        if kept.len() == kept.capacity() {
            kept.retain(|failure| !failure.is_taken());
            // With its result gone, nobody but who waits for the device can be told of it, and is told of no other.
            if let Some(first) = kept.iter().position(|failure| Arc::strong_count(failure) == 1) {
                kept.truncate(first + 1);
            }
        }
        kept.push(failure);
    }
}

/// Operations of one plan, in their order.
pub(super) struct Batch {
    nodes: Vec<Option<Node>>,
    steps: Vec<Action>,
    /// The next step.
    at: usize,
    failures: Arc<Failures>,
}

impl Batch {
    /// What the steps say to run, and the operations that stay recorded.
    pub(super) fn new(nodes: Vec<Node>, steps: Vec<Action>, failures: &Arc<Failures>) -> (Self, Vec<Node>) {
        let mut nodes: Vec<Option<Node>> = nodes.into_iter().map(Some).collect();
        let waits = steps.iter().zip(&mut nodes).filter(|(step, _)| matches!(step, Action::Wait));
        let kept = waits.filter_map(|(_, node)| node.take()).collect();
        (Self { nodes, steps, at: 0, failures: failures.clone() }, kept)
    }

    /// Puts the next operation, or launch in place of several, on the stream; `false` if there is none. What is done with is `retired`.
    pub(super) fn advance(&mut self, device: &RocmDevice, retired: &Retired) -> bool {
        while let Some(step) = self.steps.get_mut(self.at) {
            let at = self.at;
            self.at += 1;
            match mem::replace(step, Action::Covered) {
                Action::Alone => {
                    if let Some(node) = self.nodes[at].take() {
                        self.run_alone(device, &node);
                        if node.operation.has_effects() {
                            // Others may wait for what it leaves behind, which goes now.
                            device.effects().submitted();
                        } else {
                            retired.keep([node], None);
                        }
                    }
                    return true;
                }
                Action::Unread => {
                    retired.keep(self.nodes[at].take(), None);
                    device.profile().save(1);
                }
                Action::Covered | Action::Wait => {}
                Action::Joined(found) => {
                    self.run_joined(device, found, retired);
                    return true;
                }
            }
        }
        false
    }

    fn run_alone(&self, device: &RocmDevice, node: &Node) {
        let name = node.operation.name();
        let slice = caught(name, || {
            let slice = with_operands(device, &node.operands, |operands| {
                let weights = || node.operation.weights(device);
                device.observe_with_weights(name, operands, weights, || node.operation.run(device, operands))
            });
            slice.map_err(|error| RocmError::from_candle(name, error))
        });
        node.result.set(slice.map_err(|error| self.failed(name, error)));
    }

    fn failed(&self, name: &'static str, error: RocmError) -> Arc<Failure> {
        let failure = Arc::new(Failure::new(name, error));
        self.failures.keep(failure.clone());
        failure
    }

    fn run_joined(&mut self, device: &RocmDevice, found: Arc<Found>, retired: &Retired) {
        let covers = found.cover.nodes();
        let done = self.together(device, &found).unwrap_or_else(|error| {
            let nodes = || covers.iter().filter_map(|&index| self.nodes[index].as_ref());
            let name = nodes().next_back().map_or("joined", |node| node.operation.name());
            let failure = self.failed(name, error);
            nodes().for_each(|node| node.result.set(Err(failure.clone())));
            true
        });
        if !done {
            for &index in covers {
                if let Some(node) = self.nodes[index].take() {
                    self.run_alone(device, &node);
                    retired.keep([node], None);
                }
            }
        }
        let nodes = covers.iter().filter_map(|&index| self.nodes[index].take());
        retired.keep(nodes, Some(found.clone()));
    }

    /// Runs the operations of a launch together, so that their results are there; `false` if they are to run one by one.
    fn together(&self, device: &RocmDevice, found: &Found) -> Result<bool> {
        let nodes = found.cover.nodes().iter().filter_map(|&index| self.nodes[index].as_ref());
        let nodes: SmallVec<[&Node; 16]> = nodes.collect();
        // Whoever reads such an operand first takes the error along.
        if nodes.iter().any(|node| node.operands.iter().any(|(value, _)| value.has_failed())) {
            return Ok(false);
        }
        let replaced = Replaced(&self.nodes);
        if found.is_ready(device) {
            let error = match caught("joined", || found.run(device, replaced)) {
                Ok(Some(results)) => {
                    device.profile().save(nodes.len() - 1);
                    for (slot, slice) in results {
                        if let Some(value) = replaced.value(slot) {
                            value.set(Ok(slice));
                        }
                    }
                    return Ok(true);
                }
                Ok(None) => None,
                Err(error) if error.is_refusal() => Some(error),
                Err(error) => return Err(error),
            };
            // What the joined kernel does not take, or has no memory for, the single ones may.
            device.decline(found.name(), error);
        }
        if found.results_in_f32().is_empty() {
            return Ok(false);
        }
        let results: SmallVec<[&Arc<Value>; 4]> =
            found.results_in_f32().iter().filter_map(|&slot| replaced.value(slot)).collect();
        let run = || {
            f32_accumulation::run(device, &nodes, &results)
                .map_err(|error| RocmError::from_candle("joined", error))
        };
        match caught("joined", run) {
            Ok(()) => Ok(true),
            // In f32 they take more memory.
            Err(error) if error.is_refusal() => Ok(false),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use candle_core::DType;

    use super::*;

    fn failure(n: usize) -> Arc<Failure> {
        Arc::new(Failure::new("test", RocmError::InvalidArgument { op: "test", message: n.to_string() }))
    }

    fn first(failures: &Failures) -> Option<String> {
        failures.first().err().map(|error| error.to_string())
    }

    #[test]
    fn failures_that_nobody_asks_for_do_not_pile_up() {
        let failures = Failures::default();
        for n in 0..10_000 {
            failures.keep(failure(n));
        }
        assert!(failures.0.lock().capacity() < 16);
        assert_eq!(first(&failures).as_deref(), Some("test: 0"));
        assert_eq!(first(&failures), None);
        // Those that somebody was told of.
        let value = Value::recorded(DType::F32, 1);
        for n in 0..10_000 {
            let failure = failure(n);
            failures.keep(failure.clone());
            drop(failure.take());
        }
        assert!(failures.0.lock().capacity() < 16);
        assert_eq!(first(&failures), None);
        // Those whose results are there come after an earlier one that nobody was told of, and before a later one.
        let held = failure(0);
        value.set(Err(held.clone()));
        failures.keep(held);
        (1..100).for_each(|n| failures.keep(failure(n)));
        assert!(value.has_failed());
        assert_eq!(first(&failures).as_deref(), Some("test: 0"));
        assert_eq!(first(&failures), None);
    }
}
