//! Operations that ran.

use std::mem;
use std::sync::Arc;

use super::Node;
use super::join::Found;
use super::reentrancy::ReentrancyGuard;
use crate::lock::{self, Mutex};

/// What is left of operations that ran, until a thread drops it that has nothing to launch: other threads made it, so that dropping it
/// takes as long as a launch.
///
/// Whoever needs more memory than was ever in use [drops it](Retired::drop_all) first.
#[derive(Default)]
pub(super) struct Retired {
    kept: Mutex<Kept>,
    /// Held while something is dropped.
    dropping: Mutex<(), lock::Retired>,
}

#[derive(Default)]
struct Kept {
    nodes: Vec<Node>,
    joins: Vec<Arc<Found>>,
}

impl Retired {
    pub(super) fn keep(&self, nodes: impl IntoIterator<Item = Node>, join: Option<Arc<Found>>) {
        let mut kept = self.kept.lock();
        kept.nodes.extend(nodes);
        kept.joins.extend(join);
    }

    /// Drops all of it, and waits for another thread that is at that.
    pub(super) fn drop_all(&self) {
        // What is dropped may be another crate's, and allocate.
        let Some(_guard) = ReentrancyGuard::dropping() else { return };
        let _dropping = self.dropping.lock();
        let kept = mem::take(&mut *self.kept.lock());
        drop(kept);
    }
}
