//! What orders the work of streams, for ThreadSanitizer.
//!
//! Each stream has a thread, whose copies, fills and kernels the sanitizer sees. It does not see how this library synchronises its threads,
//! so that it is told here what a program may rely on, and nothing else: a stream's work comes after what the host did before it was
//! queued, and after what the stream was told to wait for. Whatever else comes in order does so by chance, and is a race.
//!
//! The threads of the host are one to it: what one of them has waited for comes before what any of them queues afterwards. How they
//! tell each other is their own affair.

use std::sync::Arc;
use std::sync::atomic::AtomicU8;

use super::Sanitizer;
use super::thread;

/// Whether the sanitizer is told.
pub(crate) fn is_checked() -> bool {
    Sanitizer::active() == Some(Sanitizer::Thread)
}

/// A point in the work of a thread. It is nothing unless the sanitizer is told.
#[derive(Clone, Default)]
pub(crate) struct Point(Option<Arc<AtomicU8>>);

/// What the host has waited for.
static HOST: AtomicU8 = AtomicU8::new(0);

impl Point {
    pub(crate) fn new() -> Self {
        Self(is_checked().then(Arc::default))
    }

    /// What the calling thread did so far comes before the point.
    pub(crate) fn reach(&self) {
        if let Some(token) = &self.0 {
            thread::release(token.as_ptr());
        }
    }

    /// What the calling thread does from now on comes after the point.
    pub(crate) fn pass(&self) {
        if let Some(token) = &self.0 {
            thread::acquire(token.as_ptr());
        }
    }

    /// What the host did so far, or waited for in any of its threads, comes before the point.
    pub(crate) fn reach_by_host(&self) {
        if self.0.is_some() {
            thread::acquire(HOST.as_ptr());
            self.reach();
        }
    }

    /// What the host does from now on, in any of its threads, comes after the point.
    pub(crate) fn pass_by_host(&self) {
        if self.0.is_some() {
            self.pass();
            thread::release(HOST.as_ptr());
        }
    }
}

/// The calling thread reads memory of a device.
pub(crate) fn reads(address: usize, len: usize) {
    if is_checked() {
        thread::access(address, len, false);
    }
}

/// The calling thread writes memory of a device.
pub(crate) fn writes(address: usize, len: usize) {
    if is_checked() {
        thread::access(address, len, true);
    }
}

/// What reports call the calling thread.
pub(crate) fn name_thread(name: &str) {
    if is_checked() {
        thread::name_thread(name);
    }
}
