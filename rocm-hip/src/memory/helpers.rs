//! Threads that help with long copies on the host: one alone is slower than the link to a card.

use std::collections::VecDeque;
use std::hint;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Condvar, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use crate::lock::Mutex;

/// More threads than that gain nothing: these fill the link, which eight do not where each waits for pages (note "Loading" of the benchmarks).
const MOST_THREADS: usize = 16;

/// So long threads wait without sleeping, as the next matrix of a model follows at once, and waking takes as long as copying a part.
const AWAKE: Duration = Duration::from_micros(100);

/// The process's helpers. They are started when first needed, and wait for work until it ends.
static HELPERS: Helpers = Helpers {
    state: Mutex::new(State { calls: VecDeque::new(), next: 0, threads: 0 }),
    work: Condvar::new(),
    done: Condvar::new(),
};

struct Helpers {
    state: Mutex<State>,
    work: Condvar,
    done: Condvar,
}

struct State {
    calls: VecDeque<Call>,
    /// The number of the next call.
    next: u64,
    threads: usize,
}

struct Call {
    number: u64,
    work: Shared,
    /// How many helpers may still join.
    places: usize,
    running: usize,
    panicked: bool,
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
        let number = self.open(work, helpers);
        // Waits for the helpers, however `work` ends here.
        let close = Close(self, number);
        work();
        drop(close);
    }

    fn open(&'static self, work: &(dyn Fn() + Sync), helpers: usize) -> u64 {
        // SAFETY: the lifetime is only left out of the type: `Close` waits until no helper has the reference.
        let work = Shared(unsafe {
            std::mem::transmute::<*const (dyn Fn() + Sync + '_), *const (dyn Fn() + Sync + 'static)>(work)
        });
        let mut state = self.state.lock();
        while state.threads < helpers {
            let started = thread::Builder::new().name("rocm-copy".to_owned()).spawn(|| self.help());
            // Without it, there are fewer.
            let Ok(_) = started else { break };
            state.threads += 1;
        }
        let number = state.next;
        state.next += 1;
        let call = Call { number, work, places: helpers, running: 0, panicked: false };
        state.calls.push_back(call);
        drop(state);
        self.work.notify_all();
        number
    }

    /// Waits for the helpers of a call; whether one of them panicked.
    fn close(&self, number: u64) -> bool {
        let until = Instant::now() + AWAKE;
        let mut state = self.state.lock();
        loop {
            let Some(at) = state.calls.iter().position(|call| call.number == number) else { return false };
            state.calls[at].places = 0;
            if state.calls[at].running == 0 {
                return state.calls.remove(at).is_some_and(|call| call.panicked);
            }
            if Instant::now() < until {
                drop(state);
                pause();
                state = self.state.lock();
            } else {
                state = state.wait(&self.done);
            }
        }
    }

    fn help(&self) {
        let mut until = Instant::now();
        let mut state = self.state.lock();
        loop {
            let Some(call) = state.calls.iter_mut().find(|call| call.places > 0) else {
                if Instant::now() < until {
                    drop(state);
                    pause();
                    state = self.state.lock();
                } else {
                    state = state.wait(&self.work);
                }
                continue;
            };
            call.places -= 1;
            call.running += 1;
            let (number, work) = (call.number, call.work);
            drop(state);
            // SAFETY: the call waits as long as this helper counts as running.
            let ended = panic::catch_unwind(AssertUnwindSafe(|| unsafe { (*work.0)() }));
            state = self.state.lock();
            if let Some(call) = state.calls.iter_mut().find(|call| call.number == number) {
                call.running -= 1;
                call.panicked |= ended.is_err();
            }
            self.done.notify_all();
            until = Instant::now() + AWAKE;
        }
    }
}

/// A microsecond or two.
fn pause() {
    (0..64).for_each(|_| hint::spin_loop());
}

struct Close(&'static Helpers, u64);

impl Drop for Close {
    fn drop(&mut self) {
        let panicked = self.0.close(self.1);
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
