//! The end of the process.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::fork;

static EXITING: AtomicBool = AtomicBool::new(false);
static STAYING: AtomicUsize = AtomicUsize::new(0);

/// How long an exit waits for other threads' calls.
const PATIENCE: Duration = Duration::from_secs(10);

/// A time in which a thread calls the runtime, from [`stay`].
#[derive(Debug)]
#[must_use = "the process may exit when this is dropped"]
pub struct Stay(());

/// For threads that nobody joins: an exit of the process waits until this is dropped (ten seconds at most), so that the runtime is
/// not torn down in the middle of a call. `None` where the process is exiting already.
pub fn stay() -> Option<Stay> {
    // Sequentially consistent, as in `on_exit`: one of the two sees the other.
    STAYING.fetch_add(1, Ordering::SeqCst);
    let stay = Stay(());
    (!EXITING.load(Ordering::SeqCst) && !fork::in_child()).then_some(stay)
}

impl Drop for Stay {
    fn drop(&mut self) {
        STAYING.fetch_sub(1, Ordering::SeqCst);
    }
}

/// Whether the process is on its way out, or a fork of the one that opened the runtime: then the runtime may be gone, or
/// belongs to another process, so handles are leaked, not destroyed.
pub fn gone() -> bool {
    EXITING.load(Ordering::Relaxed) || fork::in_child()
}

/// From now on, the process knows when it exits. Handlers run in reverse order: after a library is opened, so that this one runs
/// before the library tears itself down.
pub(crate) fn watch() {
    unsafe extern "C" {
        fn atexit(handler: extern "C" fn()) -> std::ffi::c_int;
    }
    extern "C" fn on_exit() {
        EXITING.store(true, Ordering::SeqCst);
        let start = Instant::now();
        while STAYING.load(Ordering::SeqCst) > 0 && start.elapsed() < PATIENCE {
            thread::yield_now();
        }
    }
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the handler only stores to a static. If it cannot be registered, handles are destroyed as usual.
        unsafe { atexit(on_exit) };
    });
}
