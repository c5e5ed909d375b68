//! Which recorded operations become one launch.
//!
//! Each rule is a file: it looks at one operation and at what its operands come from, and says which operations one launch
//! replaces and which of their results it writes. That this is sound is [proved](crate::fusion::graph::Graph::cover) for all alike.

mod add_norm;
mod addend;
mod attends;
mod attention;
mod elementwise;
mod group_norm;
mod heads;
mod kv_append;
mod pairs;
mod products;
mod rows;
#[cfg(test)]
mod tests;
mod top_k;
mod tree;

use std::fmt;
use std::sync::Arc;

use smallvec::SmallVec;

use super::generated::{Generated, Handle};
use super::graph::{self, Argument, Cover, Outline, Slot};
use super::operands::Replaced;
use super::plans::{Planned, Plans};
use super::{Node, Operation};
use crate::common::operand::Operand;
use crate::storage::Timestamp;
use crate::{Result, RocmDevice, RocmStorage, RocmStorageSlice};

type Entry<'a> = graph::Entry<'a, Operation>;
type Graph<'a> = graph::Graph<'a, Operation>;

/// What a joined launch gives, and who has it.
pub(super) type Results = SmallVec<[(Slot, RocmStorageSlice); 4]>;

/// What a joined launch gives.
type Slices = SmallVec<[RocmStorageSlice; 4]>;

/// What becomes of a recorded operation.
#[derive(Clone, Debug)]
pub(super) enum Action {
    /// It runs by itself.
    Alone,
    /// Nobody will read the result.
    Unread,
    /// It is part of a launch at another place.
    Covered,
    /// It stays recorded.
    Wait,
    /// It runs here, together with the others.
    Joined(Arc<Found>),
}

/// A launch in place of several operations.
trait Joined: fmt::Debug + Send + Sync {
    /// For errors, counters and the trace.
    fn name(&self) -> &'static str;

    /// What it gives, in the order of its results. `None` if it does not take the operands.
    fn run(&self, on: Place<'_>, operands: &[Operand<'_>]) -> Result<Option<Slices>>;

    /// Bytes of weights that it reads besides operands.
    fn weights(&self, _: Place<'_>) -> usize {
        0
    }

    /// Its kernel, if that is generated.
    fn generated(&self) -> Option<&Handle> {
        None
    }

    /// Whether it computes [in f32](super::f32_accumulation) in place of half types.
    fn accumulates_in_f32(&self) -> bool {
        false
    }
}

/// Where a launch runs.
#[derive(Clone, Copy)]
struct Place<'a> {
    device: &'a RocmDevice,
    replaced: Replaced<'a>,
    results: &'a [Slot],
}

/// A launch, what it reads and writes, and the operations that it replaces.
#[derive(Debug)]
pub(super) struct Found {
    launch: Box<dyn Joined>,
    operands: SmallVec<[Argument; 5]>,
    results: SmallVec<[Slot; 4]>,
    pub(super) cover: Cover,
}

impl Found {
    /// `None` if the launch would read what only the operations give that it replaces.
    fn new(
        launch: impl Joined + 'static,
        operands: impl IntoIterator<Item = Argument>,
        results: impl IntoIterator<Item = Slot>,
        cover: Cover,
    ) -> Option<Self> {
        let operands: SmallVec<[Argument; 5]> = operands.into_iter().collect();
        let there = operands.iter().all(|(slot, _)| !cover.gives(*slot));
        let launch = Box::new(launch);
        there.then(|| Self { launch, operands, results: results.into_iter().collect(), cover })
    }

    /// For counters and the trace.
    pub(super) fn name(&self) -> &'static str {
        self.launch.name()
    }

    /// `None` if the launch does not take the operands.
    pub(super) fn run(&self, device: &RocmDevice, replaced: Replaced<'_>) -> Result<Option<Results>> {
        let on = Place { device, replaced, results: &self.results };
        let slices = replaced.with_operands(device, &self.operands, |operands| {
            let run = || self.launch.run(on, operands);
            device.observe_with_weights(self.name(), operands, || self.launch.weights(on), run)
        })?;
        Ok(slices.map(|slices| self.results.iter().copied().zip(slices).collect()))
    }

    /// Whether its kernel is there, if it is a generated one. It is met by that.
    pub(super) fn is_ready(&self, device: &RocmDevice) -> bool {
        self.launch.generated().is_none_or(|kernel| kernel.meet(device))
    }

    /// What it writes, if it computes [in f32](super::f32_accumulation) in place of half types.
    pub(super) fn results_in_f32(&self) -> &[Slot] {
        if self.launch.accumulates_in_f32() { &self.results } else { &[] }
    }
}

fn slices(storages: impl IntoIterator<Item = RocmStorage>) -> Result<Slices> {
    storages.into_iter().map(RocmStorage::into_slice).collect()
}

type Rule = fn(&RocmDevice, &Graph<'_>, usize) -> Option<Found>;

/// Of what is longer with each token, so that its sizes are hardly ever met again: these are looked for anew in each segment, and plans are
/// kept of all else.
const PER_TOKEN: &[Rule] = &[attention::find, attention::find_called, kv_append::find, pairs::find];

const RULES: &[Rule] = &[
    // The larger ones first.
    products::find_gated,
    products::find_several,
    add_norm::find,
    group_norm::find,
    top_k::find,
];

/// Of what neither these nor generated kernels have taken.
const LAST_RULES: &[Rule] = &[addend::find];

/// A step for each operation; those from `end` on stay. What no tensor had `at` that point of the program is only read by these operations.
pub(super) fn plan(
    device: &RocmDevice,
    plans: &mut Plans<Action>,
    nodes: &[Node],
    end: usize,
    at: Timestamp,
) -> Vec<Action> {
    // As where a program waits for each operation.
    if let ([node], 1..) = (nodes, end) {
        return vec![if node.result.was_held(at) { Action::Alone } else { Action::Unread }];
    }
    let outline = Outline::new(nodes, at);
    let mut graph = Graph::new(&outline);
    let mut own = Vec::new();
    find_all(device, &mut graph, PER_TOKEN, &mut |found| own.push(found));
    let key = graph.key(end);
    let Planned { steps, made } = plans.get(device, &key, || others(device, &mut graph, end));
    if cfg!(debug_assertions) && !made {
        let anew = others(device, &mut graph, end);
        assert_eq!(format!("{steps:?}"), format!("{anew:?}"), "a plan that was kept is no other one");
    }
    let mut steps = steps.to_vec();
    own.into_iter().for_each(|found| join(&mut steps, found, end));
    steps
}

/// The steps of operations that are no part of a launch yet.
fn others(device: &RocmDevice, graph: &mut Graph<'_>, end: usize) -> Vec<Action> {
    let steps = (0..graph.len()).map(|i| match i {
        _ if !graph.is_read(i) => Action::Unread,
        _ if i < end => Action::Alone,
        _ => Action::Wait,
    });
    let mut steps: Vec<Action> = steps.collect();
    find_all(device, graph, RULES, &mut |found| join(&mut steps, found, end));
    // Trees are found, and wait as a whole, whether their kernels are there already or not: otherwise other operations would be joined
    // until then, which round elsewhere.
    if device.extension::<Generated>().has_kernels(device) {
        // From the last one on: a tree grows from its result.
        for i in (0..graph.len()).rev() {
            if graph.is_free(i)
                && let Some(found) =
                    rows::find(device, graph, i).or_else(|| elementwise::find(device, graph, i))
            {
                graph.take(&found.cover);
                join(&mut steps, found, end);
            }
        }
    }
    find_all(device, graph, LAST_RULES, &mut |found| join(&mut steps, found, end));
    steps
}

fn join(steps: &mut [Action], found: Found, end: usize) {
    let at = found.cover.place();
    for &covered in found.cover.nodes() {
        steps[covered] = if at < end { Action::Covered } else { Action::Wait };
    }
    if at < end {
        steps[at] = Action::Joined(Arc::new(found));
    }
}

/// Joins what the rules find, one after the other.
fn find_all(device: &RocmDevice, graph: &mut Graph<'_>, rules: &[Rule], join: &mut impl FnMut(Found)) {
    for rule in rules {
        for i in 0..graph.len() {
            if graph.is_free(i)
                && let Some(found) = rule(device, graph, i)
            {
                graph.take(&found.cover);
                join(found);
            }
        }
    }
}
