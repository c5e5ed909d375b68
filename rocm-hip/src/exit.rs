//! The end of the process.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::fork;

static EXITING: AtomicBool = AtomicBool::new(false);

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
        EXITING.store(true, Ordering::Relaxed);
    }
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: the handler only stores to a static. If it cannot be registered, handles are destroyed as usual.
        unsafe { atexit(on_exit) };
    });
}
