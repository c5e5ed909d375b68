//! Who puts planned operations on the stream: a thread of its own while their callers go on recording, or a caller that needs a
//! result. In the order of the plans either way.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::{self, Thread};

use super::batch::Batch;
use super::window::lock;
use crate::RocmDevice;
use crate::device::WeakDevice;
use crate::hip;

/// Plans that wait at most: whoever records more runs them.
const MOST: usize = 8;

/// Planned operations, and the thread that waits for them.
#[derive(Default)]
pub(super) struct Submission {
    shared: Arc<Shared>,
    thread: OnceLock<Option<Thread>>,
}

#[derive(Default)]
struct Shared {
    planned: Mutex<VecDeque<Batch>>,
    /// Held by the thread that runs them: they go in order.
    running: Mutex<()>,
    closed: AtomicBool,
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

    /// Runs all that was handed over, and waits for what another thread is running.
    pub(super) fn run_all(&self, device: &RocmDevice) {
        let _running = Running::begin();
        let _order = lock(&self.shared.running);
        while let Some(mut batch) = self.shared.next() {
            while batch.advance(device) {}
        }
    }

    /// Has what was handed over run while the caller goes on.
    pub(super) fn go_on(&self, device: &RocmDevice) {
        // Counters tell operations apart by what is launched meanwhile.
        let at_once = device.profile().is_on() || lock(&self.shared.planned).len() > MOST;
        let thread = if at_once { None } else { self.thread(device) };
        match thread {
            Some(thread) => thread.unpark(),
            None => self.run_all(device),
        }
    }

    fn thread(&self, device: &RocmDevice) -> Option<&Thread> {
        let spawn = || {
            let name = format!("submission of {}", device.label());
            let (shared, device) = (self.shared.clone(), device.downgrade());
            let handle = thread::Builder::new().name(name).spawn(move || shared.work(&device));
            handle.ok().map(|handle| handle.thread().clone())
        };
        self.thread.get_or_init(spawn).as_ref()
    }
}

impl Drop for Submission {
    /// The thread ends by itself: it may be the one that drops the device.
    fn drop(&mut self) {
        self.shared.closed.store(true, Ordering::Release);
        if let Some(Some(thread)) = self.thread.get() {
            thread.unpark();
        }
    }
}

impl Shared {
    fn next(&self) -> Option<Batch> {
        lock(&self.planned).pop_front()
    }

    fn work(&self, device: &WeakDevice) {
        while !self.closed.load(Ordering::Acquire) {
            self.run_while_used(device);
            thread::park();
        }
    }

    /// Runs what was handed over, as long as somebody could read the results: keeps the device only for one launch at a time.
    fn run_while_used(&self, device: &WeakDevice) {
        let _running = Running::begin();
        let _order = lock(&self.running);
        while let Some(mut batch) = self.next() {
            loop {
                // The runtime is there until this is dropped.
                let Some(_stay) = hip::stay() else { return };
                let Some(device) = device.upgrade() else { return };
                if !batch.advance(&device) {
                    break;
                }
            }
        }
    }
}
