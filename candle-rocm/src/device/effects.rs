//! Recorded operations that do more than give a result, such as to have the stream wait for another: what is read at once comes
//! behind them, also where its own elements are there already. Writes wait by themselves for other streams that use the memory.

use std::sync::atomic::{AtomicU64, Ordering};

/// How many a device's threads recorded, and how many of these are on the stream: they run in their order.
#[derive(Default)]
pub(crate) struct Effects {
    recorded: AtomicU64,
    submitted: AtomicU64,
}

impl Effects {
    /// One is recorded.
    pub(crate) fn record(&self) {
        self.recorded.fetch_add(1, Ordering::Relaxed);
    }

    /// The next one is on the stream.
    pub(crate) fn submitted(&self) {
        self.submitted.fetch_add(1, Ordering::Release);
    }

    /// Whether one that this thread knows of is not on the stream yet.
    #[inline]
    pub(crate) fn are_waiting(&self) -> bool {
        self.submitted.load(Ordering::Acquire) < self.recorded.load(Ordering::Relaxed)
    }
}
