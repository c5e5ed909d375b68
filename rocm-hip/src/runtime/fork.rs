//! Forked processes: a child has the driver's memory, but neither its threads nor its queues, so every call would hang or
//! corrupt. What was opened before the fork is refused in the child, before any lock: whatever another thread held at the moment of the
//! fork stays locked there. Drops take no locks either.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crate::{HipError, Result};

/// Set in children of a process that had opened a runtime.
static IN_CHILD: AtomicBool = AtomicBool::new(false);
/// The process that opened it.
static OPENED_BY: AtomicU32 = AtomicU32::new(0);

/// Whether this process was forked from one that had opened a runtime. Every call then fails with [`HipError::ForkedProcess`]. Code with
/// its own locks must check this first, because threads that do not exist in this process may hold them forever.
#[inline]
pub fn in_child() -> bool {
    IN_CHILD.load(Ordering::Relaxed)
}

/// An error in the child.
pub(crate) fn check() -> Result<()> {
    if in_child() { Err(error()) } else { Ok(()) }
}

/// What calls in the child return.
#[cold]
pub(crate) fn error() -> HipError {
    HipError::ForkedProcess { opened_by: OPENED_BY.load(Ordering::Relaxed), process: std::process::id() }
}

/// From now on, children of this process know that they are. Windows has no fork, so nothing is a child there.
pub(crate) fn watch() {
    #[cfg(unix)]
    {
        static ONCE: std::sync::Once = std::sync::Once::new();
        extern "C" fn child() {
            IN_CHILD.store(true, Ordering::Relaxed);
            crate::trace::abandon();
        }
        ONCE.call_once(|| {
            OPENED_BY.store(std::process::id(), Ordering::Relaxed);
            // SAFETY: the handler only stores to statics. If it cannot be registered, children go unnoticed, as before.
            unsafe { libc::pthread_atfork(None, None, Some(child)) };
        });
    }
}
