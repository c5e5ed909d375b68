//! The end of the process.

use std::io::{Write as _, stderr};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::fork;
use crate::trace;

static EXITING: AtomicBool = AtomicBool::new(false);
static CALLS: AtomicUsize = AtomicUsize::new(0);
static COMPILATIONS: AtomicUsize = AtomicUsize::new(0);

/// How long an exit waits for other threads' calls. A card that hangs must not keep the process.
const PATIENCE_WITH_CALLS: Duration = Duration::from_secs(10);

/// How long an exit waits for a compiler: no module takes that long, and a compiler that is torn down while it works crashes.
const PATIENCE_WITH_COMPILERS: Duration = Duration::from_secs(120);
/// How long nobody asks why.
const SILENCE: Duration = Duration::from_millis(500);

/// A guard that delays the exit of the process, from [`stay`] or [`stay_compiling`].
#[derive(Debug)]
#[must_use = "the process may exit when this is dropped"]
pub struct Stay(&'static AtomicUsize);

/// Delays the exit of the process until the guard is dropped, by ten seconds at most, so that the runtime is not torn down in the middle of
/// a call. For threads that are not joined. `None` if the process is already exiting, or is a forked child.
pub fn stay() -> Option<Stay> {
    stay_among(&CALLS)
}

/// As [`stay`], for one call of a run-time compiler, for which an exit waits longer.
pub fn stay_compiling() -> Option<Stay> {
    // Again: the compiler was opened after the runtime, and an earlier call may have left what is torn down at exit.
    watch();
    stay_among(&COMPILATIONS)
}

fn stay_among(staying: &'static AtomicUsize) -> Option<Stay> {
    // Sequentially consistent, as in `on_exit`: one of the two sees the other.
    staying.fetch_add(1, Ordering::SeqCst);
    let stay = Stay(staying);
    (!EXITING.load(Ordering::SeqCst) && !fork::in_child()).then_some(stay)
}

impl Drop for Stay {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Whether the process is exiting, or was forked from the one that opened the runtime. The runtime may then be gone, or belong to another
/// process, so handles must be leaked instead of destroyed.
pub fn gone() -> bool {
    EXITING.load(Ordering::Relaxed) || is_alone()
}

/// Whether the other threads are gone for good, and what they held with them.
fn is_alone() -> bool {
    #[cfg(windows)]
    return crate::windows::is_last_thread();
    #[cfg(not(windows))]
    fork::in_child()
}

/// From now on, the process knows when it exits. Handlers run in reverse order: this is called after a library is opened, so that
/// the exit waits before the library tears itself down.
///
/// On Windows, a program's handlers run when `main` returns, and not in `std::process::exit`; those of a DLL run once the other threads
/// were stopped, and there is nothing to wait for.
pub(crate) fn watch() {
    unsafe extern "C" {
        fn atexit(handler: extern "C" fn()) -> std::ffi::c_int;
    }
    extern "C" fn on_exit() {
        // Registered again and again, but patient once. A forked child has no other threads, whatever its parent's were at.
        if EXITING.swap(true, Ordering::SeqCst) || fork::in_child() {
            return;
        }
        if is_alone() {
            return trace::at_exit();
        }
        let start = Instant::now();
        let waits = |staying: &AtomicUsize, patience| {
            staying.load(Ordering::SeqCst) > 0 && start.elapsed() < patience
        };
        let mut is_told = false;
        while waits(&CALLS, PATIENCE_WITH_CALLS) || waits(&COMPILATIONS, PATIENCE_WITH_COMPILERS) {
            // Those that the cache has are there before.
            if !is_told && start.elapsed() > SILENCE && COMPILATIONS.load(Ordering::SeqCst) > 0 {
                is_told = true;
                // A closed stderr must not cause a failure.
                let _ = writeln!(
                    stderr(),
                    "candle-rocm: the exit waits for the kernels that are being compiled…"
                );
            }
            thread::sleep(Duration::from_millis(1));
        }
        trace::at_exit();
    }
    // SAFETY: the handler only uses statics. If it cannot be registered, handles are destroyed as usual.
    unsafe { atexit(on_exit) };
}
