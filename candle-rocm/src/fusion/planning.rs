//! Recorded operations on their way to a plan: a thread of its own plans them while their callers go on recording, or a caller that
//! needs a result. In order either way.

use std::collections::VecDeque;
use std::mem;
use std::sync::Arc;

use super::Node;
use super::batch::{Batch, Failures};
use super::join::{self, Action};
use super::panics::caught;
use super::plans::Plans;
use super::submission::Submission;
use super::worker::Worker;
use crate::hip::Pool;
use crate::lock::{self, Mutex};
use crate::storage::{Failure, Timestamp};
use crate::{Result, RocmDevice};

/// Segments, and plans, that wait at most: whoever records more plans and runs them.
const MOST: usize = 16;

/// Operations in the order of their calls, from those of the segment before on.
pub(super) struct Segment {
    pub(super) nodes: Vec<Node>,
    /// When the last of them was recorded: what no tensor has by then, nobody else will read.
    pub(super) at: Timestamp,
    /// How many of the last ones, and of those before them, stay and are planned again.
    pub(super) stay: usize,
}

/// Who plans, and what waits for it.
#[derive(Default)]
pub(super) struct Planning {
    shared: Arc<Shared>,
    worker: Worker,
}

/// What one plan leaves for the next.
#[derive(Default)]
struct Planner {
    /// Operations that stayed.
    stayed: Vec<Node>,
    plans: Plans<Action>,
}

#[derive(Default)]
struct Shared {
    segments: Mutex<VecDeque<Segment>>,
    /// Held while something is planned, so that it goes in order.
    planner: Mutex<Planner, lock::Planner>,
    submission: Submission,
    failures: Arc<Failures>,
}

impl Planning {
    /// What went wrong with operations that ran since this was last asked, and nobody was told.
    pub(super) fn failure(&self) -> Result<()> {
        self.shared.failures.first()
    }

    pub(super) fn attach(&self, pool: &Pool) {
        self.shared.submission.attach(pool);
    }

    pub(super) fn hand_over(&self, segment: Segment) {
        self.shared.segments.lock().push_back(segment);
    }

    /// Plans and runs all that was handed over, and waits for what other threads are at.
    pub(super) fn run_all(&self, device: &RocmDevice) {
        self.shared.plan_all(device);
        self.shared.submission.run_all(device);
    }

    /// Has what was handed over planned and run while the caller goes on.
    pub(super) fn go_on(&self, device: &RocmDevice) {
        let Shared { segments, submission, .. } = &*self.shared;
        // Counters tell operations apart by what is launched meanwhile.
        let segments = segments.lock().len();
        let at_once = device.profile().is_on() || segments.max(submission.len()) > MOST;
        let work = || {
            let shared = self.shared.clone();
            move |device: &RocmDevice| {
                let planned = shared.plan_next(device, &mut shared.planner.lock());
                if planned {
                    shared.submission.go_on(device);
                    shared.submission.reclaim();
                }
                planned
            }
        };
        if at_once || !self.worker.wake(device, "planning", work) {
            self.run_all(device);
        }
    }
}

impl Shared {
    fn plan_all(&self, device: &RocmDevice) {
        let mut planner = self.planner.lock();
        while self.plan_next(device, &mut planner) {}
    }

    /// Plans what stayed and the next segment, and hands over all of it but what stays; `false` if there is none.
    fn plan_next(&self, device: &RocmDevice, planner: &mut Planner) -> bool {
        let Some(Segment { nodes: recorded, at, stay }) = self.segments.lock().pop_front() else {
            return false;
        };
        let Planner { stayed, plans } = planner;
        let mut nodes = mem::take(stayed);
        nodes.extend(recorded);
        if !nodes.is_empty() {
            let end = nodes.len().saturating_sub(stay);
            // What cannot be planned runs as it was called.
            let steps = caught("plan", || Ok(join::plan(device, plans, &nodes, end, at)));
            let steps = steps.unwrap_or_else(|error| {
                if cfg!(debug_assertions) {
                    self.failures.keep(Arc::new(Failure::new("plan", error)));
                }
                nodes.iter().map(|_| Action::Alone).collect()
            });
            let batch;
            (batch, *stayed) = Batch::new(nodes, steps, &self.failures);
            self.submission.hand_over(batch);
        }
        true
    }
}
