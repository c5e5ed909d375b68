//! Threads that help with long copies on the host: one alone is slower than the link to a card.

use std::collections::VecDeque;
use std::hint;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use crate::lock::Mutex;

/// More threads than that gain nothing: these fill the link, which eight do not where each waits for pages (note "Loading" of the benchmarks).
const MOST_THREADS: usize = 16;

/// So long threads wait without sleeping, as the next matrix of a model follows at once, and waking takes as long as copying a part.
const AWAKE: Duration = Duration::from_micros(100);

/// The process's helpers. They are started when first needed, and wait for work until it ends.
static HELPERS: Helpers = Helpers {
    state: Mutex::new(State { calls: VecDeque::new(), threads: 0 }),
    opened: AtomicU64::new(0),
    work: Condvar::new(),
    done: Condvar::new(),
};

struct Helpers {
    state: Mutex<State>,
    /// How many calls there were.
    opened: AtomicU64,
    work: Condvar,
    done: Condvar,
}

struct State {
    /// Those that helpers may still join.
    calls: VecDeque<Call>,
    threads: usize,
}

struct Call {
    work: Shared,
    /// How many helpers may still join.
    places: usize,
    running: Arc<Running>,
}

/// The helpers of a call.
#[derive(Default)]
struct Running {
    count: AtomicUsize,
    panicked: AtomicBool,
}

/// Borrowed by helpers until `together` returns.
#[derive(Clone, Copy)]
struct Shared(*const (dyn Fn() + Sync + 'static));

// SAFETY: what it points to is `Sync`.
unsafe impl Send for Shared {}

/// Runs `work` on this thread, and on others that are idle; returns when none runs it any more. What is to be done must not depend on how
/// many run it: they take pieces until none is left.
pub(crate) fn together(work: &(dyn Fn() + Sync)) {
    HELPERS.run(work, most_helpers());
}

/// As many as there are processors for, beside the caller.
fn most_helpers() -> usize {
    static MOST: OnceLock<usize> = OnceLock::new();
    *MOST.get_or_init(|| thread::available_parallelism().map_or(1, usize::from).min(MOST_THREADS) - 1)
}

impl Helpers {
    fn run(&'static self, work: &(dyn Fn() + Sync), helpers: usize) {
        let running = self.open(work, helpers);
        // Waits for the helpers, however `work` ends here.
        let close = Close(self, running);
        work();
        drop(close);
    }

    fn open(&'static self, work: &(dyn Fn() + Sync), helpers: usize) -> Arc<Running> {
        // SAFETY: the lifetime is only left out of the type: `Close` waits until no helper has the reference.
        let work = Shared(unsafe {
            std::mem::transmute::<*const (dyn Fn() + Sync + '_), *const (dyn Fn() + Sync + 'static)>(work)
        });
        let running = Arc::new(Running::default());
        let mut state = self.state.lock();
        while state.threads < helpers {
            let started = thread::Builder::new().name("rocm-copy".to_owned()).spawn(|| self.help());
            // Without it, there are fewer.
            let Ok(_) = started else { break };
            state.threads += 1;
        }
        if helpers > 0 {
            state.calls.push_back(Call { work, places: helpers, running: running.clone() });
        }
        self.opened.fetch_add(1, Ordering::Relaxed);
        drop(state);
        self.work.notify_all();
        running
    }

    /// Waits for the helpers of a call; whether one of them panicked.
    fn close(&self, running: &Arc<Running>) -> bool {
        self.state.lock().calls.retain(|call| !Arc::ptr_eq(&call.running, running));
        // From here on, nobody joins. What helpers wrote is seen.
        let ended = || running.count.load(Ordering::Acquire) == 0;
        if !awake_until(ended) {
            let mut state = self.state.lock();
            while !ended() {
                state = state.wait(&self.done);
            }
        }
        running.panicked.load(Ordering::Relaxed)
    }

    fn help(&self) {
        let mut known = 0;
        let mut state = self.state.lock();
        loop {
            let Some(call) = state.calls.front_mut() else {
                // Of the calls so far, none needs help.
                if self.opened.load(Ordering::Relaxed) == known {
                    state = state.wait(&self.work);
                } else {
                    known = self.opened.load(Ordering::Relaxed);
                    drop(state);
                    awake_until(|| self.opened.load(Ordering::Relaxed) != known);
                    state = self.state.lock();
                }
                continue;
            };
            let (work, running) = (call.work, call.running.clone());
            running.count.fetch_add(1, Ordering::Relaxed);
            call.places -= 1;
            if call.places == 0 {
                state.calls.pop_front();
            }
            drop(state);
            // SAFETY: the call waits as long as this helper counts as running.
            if panic::catch_unwind(AssertUnwindSafe(|| unsafe { (*work.0)() })).is_err() {
                running.panicked.store(true, Ordering::Relaxed);
            }
            let last = running.count.fetch_sub(1, Ordering::Release) == 1;
            state = self.state.lock();
            if last {
                self.done.notify_all();
            }
        }
    }
}

/// Waits for a condition without sleeping, for a while; whether it came true.
fn awake_until(condition: impl Fn() -> bool) -> bool {
    let until = Instant::now() + AWAKE;
    loop {
        if condition() {
            return true;
        }
        if Instant::now() >= until {
            return false;
        }
        hint::spin_loop();
    }
}

struct Close(&'static Helpers, Arc<Running>);

impl Drop for Close {
    fn drop(&mut self) {
        let panicked = self.0.close(&self.1);
        assert!(!panicked || thread::panicking(), "a thread that helped with a copy panicked");
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn helpers_run_along() {
        // Nobody passes before all three are there.
        let (barrier, ran) = (Barrier::new(3), AtomicUsize::new(0));
        HELPERS.run(
            &|| {
                barrier.wait();
                ran.fetch_add(1, Ordering::Relaxed);
            },
            2,
        );
        assert_eq!(ran.into_inner(), 3);
    }

    #[test]
    fn none_uses_what_it_borrowed_afterwards() {
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for round in 0..500usize {
                        let (next, sum) = (AtomicUsize::new(0), AtomicUsize::new(0));
                        let values: Vec<usize> = (0..round).collect();
                        together(&|| {
                            while let Some(value) = values.get(next.fetch_add(1, Ordering::Relaxed)) {
                                sum.fetch_add(*value, Ordering::Relaxed);
                            }
                        });
                        assert_eq!(sum.into_inner(), round * round.saturating_sub(1) / 2);
                    }
                });
            }
        });
    }

    #[test]
    fn a_panic_of_a_helper_is_the_callers() {
        let barrier = Barrier::new(2);
        let caller = thread::current().id();
        let work = || {
            barrier.wait();
            assert_eq!(thread::current().id(), caller);
        };
        let ended = panic::catch_unwind(AssertUnwindSafe(|| HELPERS.run(&work, 1)));
        assert!(ended.is_err());
        together(&|| ());
    }
}
