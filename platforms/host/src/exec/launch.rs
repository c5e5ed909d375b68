//! One launch: a grid of blocks, and the threads of this process that work on it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use super::module::Module;
use super::runner;
use crate::processor::{self, Arguments, Fault};

/// A launch that is queued or running.
pub(crate) struct Launch {
    pub(crate) module: Arc<Module>,
    pub(crate) kernel: usize,
    pub(crate) arguments: Arguments,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared_bytes: u32,
    /// How many launches of the kernel came before.
    pub(crate) number: u64,
    progress: Progress,
}

#[derive(Default)]
struct Progress {
    /// The next block that nobody has begun.
    next: AtomicU64,
    stopped: AtomicBool,
    fault: Mutex<Option<Fault>>,
    helpers: Mutex<usize>,
    done: Condvar,
}

impl Launch {
    pub(crate) fn new(module: Arc<Module>, launch: processor::Launch) -> Self {
        let processor::Launch { kernel, arguments, grid, block, shared_bytes } = launch;
        let number = module.launches[kernel].fetch_add(1, Ordering::Relaxed);
        if number == 0 {
            super::log::first_launch(module.wave, &module.kernels[kernel].name);
        }
        Self { module, kernel, arguments, grid, block, shared_bytes, number, progress: Progress::default() }
    }

    /// The name of its kernel.
    pub(crate) fn name(&self) -> &str {
        &self.module.kernels[self.kernel].name
    }

    /// How many blocks it has.
    pub(crate) fn blocks(&self) -> u64 {
        self.grid.iter().map(|&size| u64::from(size)).product()
    }

    /// Runs it to its end, with the help of other threads.
    pub(crate) fn run(self) -> Result<(), Fault> {
        let launch = Arc::new(self);
        if launch.blocks() == 1 {
            launch.work();
        } else {
            super::pool::help(&launch);
        }
        let fault = launch.progress.fault.lock().unwrap_or_else(PoisonError::into_inner).take();
        fault.map_or(Ok(()), Err)
    }

    /// Whether there is no block left to begin.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.progress.stopped.load(Ordering::Relaxed)
            || self.progress.next.load(Ordering::Relaxed) >= self.blocks()
    }

    /// Runs blocks until there is none left.
    pub(crate) fn work(&self) {
        if let Err(fault) = runner::run(self, || self.claim()) {
            self.progress.stopped.store(true, Ordering::Relaxed);
            self.progress.fault.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(fault);
        }
    }

    /// The next few blocks.
    fn claim(&self) -> Option<std::ops::Range<u64>> {
        if self.progress.stopped.load(Ordering::Relaxed) {
            return None;
        }
        let blocks = self.blocks();
        let share = (blocks / (8 * super::pool::size() as u64)).clamp(1, 256);
        let start = self.progress.next.fetch_add(share, Ordering::Relaxed);
        (start < blocks).then(|| start..(start + share).min(blocks))
    }

    /// Another thread begins to work on it.
    pub(crate) fn enter(&self) {
        *self.progress.helpers.lock().unwrap_or_else(PoisonError::into_inner) += 1;
    }

    /// That thread has finished.
    pub(crate) fn leave(&self) {
        let mut helpers = self.progress.helpers.lock().unwrap_or_else(PoisonError::into_inner);
        *helpers -= 1;
        if *helpers == 0 {
            self.progress.done.notify_all();
        }
    }

    /// Waits until all others have finished.
    pub(crate) fn wait(&self) {
        let mut helpers = self.progress.helpers.lock().unwrap_or_else(PoisonError::into_inner);
        while *helpers > 0 {
            helpers = self.progress.done.wait(helpers).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
