//! Who puts planned operations on the stream: a thread of its own while their callers go on recording, or a caller that needs a
//! result. In the order of the plans either way.

use std::collections::VecDeque;
use std::sync::Arc;

use super::batch::Batch;
use super::reentrancy::ReentrancyGuard;
use super::retired::Retired;
use super::worker::Worker;
use crate::RocmDevice;
use crate::hip::Pool;
use crate::lock::{Mutex, Running};

/// Planned operations, and the thread that waits for them.
#[derive(Default)]
pub(super) struct Submission {
    shared: Arc<Shared>,
    worker: Worker,
}

#[derive(Default)]
struct Shared {
    planned: Mutex<VecDeque<Batch>>,
    /// What is being run. Held by the thread that runs it: operations go in order.
    running: Mutex<Option<Batch>, Running>,
    retired: Arc<Retired>,
}

impl Submission {
    pub(super) fn attach(&self, pool: &Pool) {
        let retired = Arc::downgrade(&self.shared.retired);
        pool.set_reclaim(move || {
            if let Some(retired) = retired.upgrade() {
                retired.drop_all();
            }
        });
    }

    /// Drops the operations that ran.
    pub(super) fn reclaim(&self) {
        self.shared.retired.drop_all();
    }

    pub(super) fn hand_over(&self, batch: Batch) {
        self.shared.planned.lock().push_back(batch);
    }

    /// Plans that wait.
    pub(super) fn len(&self) -> usize {
        self.shared.planned.lock().len()
    }

    /// Runs all that was handed over, and waits for what another thread is running.
    pub(super) fn run_all(&self, device: &RocmDevice) {
        let _guard = ReentrancyGuard::running();
        let mut batch = self.shared.running.lock();
        while self.shared.advance(device, &mut batch) {}
        self.reclaim();
    }

    /// Has what was handed over run while the caller goes on.
    pub(super) fn go_on(&self, device: &RocmDevice) {
        let work = || {
            let shared = self.shared.clone();
            move |device: &RocmDevice| {
                let _guard = ReentrancyGuard::running();
                shared.advance(device, &mut shared.running.lock())
            }
        };
        if !self.worker.wake(device, "submission", work) {
            self.run_all(device);
        }
    }
}

impl Shared {
    /// Puts the next operation, or launch in place of several, on the stream; `false` if there is none.
    fn advance(&self, device: &RocmDevice, batch: &mut Option<Batch>) -> bool {
        while let Some(current) = batch.take().or_else(|| self.planned.lock().pop_front()) {
            if batch.insert(current).advance(device, &self.retired) {
                return true;
            }
            *batch = None;
        }
        false
    }
}
