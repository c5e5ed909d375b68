//! Threads that help with launches of all streams.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, LazyLock, Mutex, MutexGuard, PoisonError};

use super::launch::Launch;
use super::sanitize::Sanitizer;

struct Pool {
    launches: Mutex<VecDeque<Arc<Launch>>>,
    wake: Condvar,
    size: usize,
}

/// How many threads work on a launch, with the one that it belongs to.
pub(crate) fn size() -> usize {
    pool().size
}

/// Runs a launch on this thread and on all idle ones.
pub(crate) fn help(launch: &Arc<Launch>) {
    let pool = pool();
    if pool.size > 1 {
        pool.launches().push_back(Arc::clone(launch));
        if launch.blocks() > 2 {
            pool.wake.notify_all();
        } else {
            pool.wake.notify_one();
        }
    }
    launch.work();
    // From here on no thread joins. Wait for those that did.
    pool.launches().retain(|other| !Arc::ptr_eq(other, launch));
    launch.wait();
}

impl Pool {
    fn launches(&self) -> MutexGuard<'_, VecDeque<Arc<Launch>>> {
        self.launches.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self) {
        loop {
            let mut launches = self.launches();
            let launch = loop {
                launches.retain(|launch| !launch.is_exhausted());
                if let Some(launch) = launches.front() {
                    break Arc::clone(launch);
                }
                launches = self.wake.wait(launches).unwrap_or_else(PoisonError::into_inner);
            };
            // Entered while the launch is still in the queue, so that its owner waits for this thread.
            launch.enter();
            drop(launches);
            launch.work();
            launch.leave();
        }
    }
}

fn pool() -> &'static Pool {
    static POOL: LazyLock<&'static Pool> = LazyLock::new(|| {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        // One thread is enough to see races, and the sanitizer knows only so many.
        let threads = if Sanitizer::active() == Some(Sanitizer::Thread) { 1 } else { cores };
        let mut pool = Pool { launches: Mutex::default(), wake: Condvar::new(), size: 1 };
        pool.size = threads;
        let pool: &'static Pool = Box::leak(Box::new(pool));
        for number in 1..threads {
            // A thread that does not start is no loss: each launch also runs on the thread it belongs to.
            let _ = std::thread::Builder::new()
                .name(format!("candle-rocm-host-{number}"))
                .spawn(move || pool.serve());
        }
        pool
    });
    *POOL
}
