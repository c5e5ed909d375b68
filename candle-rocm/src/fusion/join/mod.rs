//! Which recorded operations become one launch.
//!
//! Each pattern is a file: it looks at one operation and at what its operands come from, and says which operations one launch
//! replaces and which of their results it writes. That this is sound is [proved](crate::fusion::graph::Graph::cover) for all alike.

mod add_norm;
mod added;
mod attention;
mod elementwise;
mod group_norm;
mod heads;
mod pairs;
mod products;
mod rows;
mod step;
mod tree;

use std::sync::Arc;

use smallvec::SmallVec;

use super::generated::Generated;
use super::graph::{self, Cover};
use super::operands::with_operands;
use super::{Node, Operation};
use crate::storage::{Timestamp, Value};
use crate::{Result, RocmDevice, RocmStorageSlice};

type Graph<'a> = graph::Graph<'a, Operation>;

/// What a joined launch gives.
pub(super) type Results = SmallVec<[(Arc<Value>, RocmStorageSlice); 4]>;

/// Results that a launch writes.
pub(super) type Written = SmallVec<[Arc<Value>; 2]>;

/// What becomes of a recorded operation.
pub(super) enum Step {
    /// It runs by itself.
    Alone,
    /// Nobody will read the result.
    Unread,
    /// It is part of a launch at another place.
    Covered,
    /// It stays recorded.
    Wait,
    /// It runs here, together with the others.
    Joined { join: Box<Joined>, cover: Cover },
}

/// A launch in place of several.
pub(super) enum Joined {
    Attention(attention::Call),
    AddNorm(add_norm::Call),
    Added(added::Call),
    GroupNorm(group_norm::Call),
    Products(products::Call),
    Pair(pairs::Call),
    Step(step::Call),
    Elementwise(elementwise::Call),
    Rows(rows::Call),
}

impl Joined {
    /// `None` if the kernel is not there yet, or does not take the operands.
    pub(super) fn run(&self, device: &RocmDevice) -> Result<Option<Results>> {
        match self {
            Self::Attention(call) => call.run(device),
            Self::AddNorm(call) => call.run(device),
            Self::Added(call) => call.run(device),
            Self::GroupNorm(call) => call.run(device),
            Self::Products(call) => call.run(device),
            Self::Pair(call) => call.run(device),
            Self::Step(call) => call.run(device),
            Self::Elementwise(call) => call.run(device),
            Self::Rows(call) => call.run(device),
        }
    }

    /// What it writes, if it computes [in f32](super::wide) in place of half types.
    pub(super) fn wide(&self) -> &[Arc<Value>] {
        match self {
            Self::Elementwise(call) => call.wide(),
            Self::Rows(call) => call.wide(),
            _ => &[],
        }
    }
}

/// A pattern that was found.
struct Found {
    join: Joined,
    cover: Cover,
}

type Pattern = fn(&RocmDevice, &Graph<'_>, usize) -> Option<Found>;

/// The larger patterns first.
const PATTERNS: &[Pattern] = &[
    attention::find,
    products::find_gated,
    products::find_several,
    add_norm::find,
    group_norm::find,
    step::find,
    pairs::find,
];

/// Of what neither these nor generated kernels have taken.
const LAST_PATTERNS: &[Pattern] = &[added::find];

/// A step for each operation; those from `end` on stay. What no tensor had `at` that point of the program is only read by these operations.
pub(super) fn plan(device: &RocmDevice, nodes: &[Node], end: usize, at: Timestamp) -> Vec<Step> {
    // As where a program waits for each operation.
    if let ([node], 1..) = (nodes, end) {
        return vec![if node.result.was_held(at) { Step::Alone } else { Step::Unread }];
    }
    let mut graph = Graph::new(nodes, at);
    let mut steps: Vec<Step> = (0..nodes.len())
        .map(|i| match i {
            _ if !graph.is_read(i) => Step::Unread,
            _ if i < end => Step::Alone,
            _ => Step::Wait,
        })
        .collect();
    let mut join = |graph: &mut Graph<'_>, Found { join, cover }: Found| {
        graph.take(&cover);
        let at = cover.place();
        for &covered in cover.nodes() {
            steps[covered] = if at < end { Step::Covered } else { Step::Wait };
        }
        if at < end {
            steps[at] = Step::Joined { join: Box::new(join), cover };
        }
    };
    find_all(device, &mut graph, PATTERNS, &mut join);
    // Trees are found, and wait as a whole, whether their kernels are there already or not: otherwise other operations would be joined
    // until then, which round elsewhere.
    if device.extension::<Generated>().can_compile(device) {
        // From the last one on: a tree grows from its result.
        for i in (0..nodes.len()).rev() {
            if graph.is_free(i)
                && let Some(found) =
                    rows::find(device, &graph, i).or_else(|| elementwise::find(device, &graph, i))
            {
                join(&mut graph, found);
            }
        }
    }
    find_all(device, &mut graph, LAST_PATTERNS, &mut join);
    steps
}

/// Joins what the patterns find, one after the other.
fn find_all<'a>(
    device: &RocmDevice,
    graph: &mut Graph<'a>,
    patterns: &[Pattern],
    join: &mut impl FnMut(&mut Graph<'a>, Found),
) {
    for pattern in patterns {
        for i in 0..graph.len() {
            if graph.is_free(i)
                && let Some(found) = pattern(device, graph, i)
            {
                join(graph, found);
            }
        }
    }
}
