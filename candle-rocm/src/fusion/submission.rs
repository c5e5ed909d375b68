//! Who puts planned operations on the stream: a thread of its own while their callers go on recording, or a caller that needs a
//! result. In the order of the plans either way.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use super::batch::Batch;
use super::window::lock;
use super::worker::Worker;
use crate::RocmDevice;

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
    running: Mutex<Option<Batch>>,
}

thread_local! {
    /// Whether this thread is running recorded operations: what these call runs at once.
    static RUNNING: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is running recorded operations.
#[inline]
pub(super) fn is_running() -> bool {
    RUNNING.get()
}

/// Until it is dropped, also by a panic.
struct Running;

impl Running {
    fn begin() -> Self {
        RUNNING.set(true);
        Self
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.set(false);
    }
}

impl Submission {
    pub(super) fn hand_over(&self, batch: Batch) {
        lock(&self.shared.planned).push_back(batch);
    }

    /// Wakes the thread for what is handed over soon.
    pub(super) fn expect(&self) {
        self.worker.expect();
    }

    /// Plans that wait.
    pub(super) fn len(&self) -> usize {
        lock(&self.shared.planned).len()
    }

    /// Runs all that was handed over, and waits for what another thread is running.
    pub(super) fn run_all(&self, device: &RocmDevice) {
        let _running = Running::begin();
        let mut batch = lock(&self.shared.running);
        while self.shared.advance(device, &mut batch) {}
    }

    /// Has what was handed over run while the caller goes on.
    pub(super) fn go_on(&self, device: &RocmDevice) {
        let work = || {
            let shared = self.shared.clone();
            move |device: &RocmDevice| {
                let _running = Running::begin();
                shared.advance(device, &mut lock(&shared.running))
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
        while let Some(current) = batch.take().or_else(|| lock(&self.planned).pop_front()) {
            if batch.insert(current).advance(device) {
                return true;
            }
            *batch = None;
        }
        false
    }
}
