//! Threads that work for a device as long as it is used.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{self, Thread};

use super::panics::caught;
use crate::RocmDevice;
use crate::device::WeakDevice;
use crate::hip;

/// A thread that is started when there is something to do for the first time.
#[derive(Default)]
pub(super) struct Worker {
    thread: OnceLock<Option<Thread>>,
    closed: Arc<AtomicBool>,
}

impl Worker {
    /// Has the thread call `work` until it says that there is no more to do, with the device only for each single call: then somebody
    /// could still read what comes of it. `false` if there can be no thread.
    pub(super) fn wake<W>(&self, device: &RocmDevice, name: &str, work: impl FnOnce() -> W) -> bool
    where
        W: FnMut(&RocmDevice) -> bool + Send + 'static,
    {
        let spawn = || {
            let (closed, weak, work) = (self.closed.clone(), device.downgrade(), work());
            let named = thread::Builder::new().name(format!("{name} of {}", device.label()));
            named.spawn(move || run(&closed, &weak, work)).ok().map(|handle| handle.thread().clone())
        };
        match self.thread.get_or_init(spawn) {
            Some(thread) => {
                thread.unpark();
                true
            }
            None => false,
        }
    }
}

impl Drop for Worker {
    /// The thread ends by itself: it may be the one that drops the device.
    fn drop(&mut self) {
        self.closed.store(true, Ordering::Release);
        if let Some(Some(thread)) = self.thread.get() {
            thread.unpark();
        }
    }
}

fn run(closed: &AtomicBool, device: &WeakDevice, mut work: impl FnMut(&RocmDevice) -> bool) {
    while !closed.load(Ordering::Acquire) {
        loop {
            // The runtime is there until this is dropped.
            let Some(_stay) = hip::stay() else { return };
            let Some(device) = device.upgrade() else { return };
            // What panics was taken from the list of what there is to do, and may be a drop of another crate's: there may be more.
            if !caught("work", || Ok(work(&device))).unwrap_or(true) {
                break;
            }
        }
        // Returns at once if it was woken meanwhile.
        thread::park();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;
    use crate::platform::HOST;

    #[test]
    fn a_panic_does_not_end_the_thread() {
        let device = RocmDevice::on(HOST, 0).unwrap();
        let (worker, (sender, turns)) = (Worker::default(), mpsc::channel());
        for turn in 0..10 {
            let sender = sender.clone();
            let work = move || {
                let mut turn = 0;
                move |_: &RocmDevice| {
                    turn += 1;
                    sender.send(turn).unwrap();
                    // It is called again, as there may be more to do, and has nothing more then.
                    assert_eq!(turn % 2, 0, "a panic");
                    false
                }
            };
            assert!(worker.wake(&device, "test", work));
            assert_eq!(turns.recv(), Ok(2 * turn + 1));
            assert_eq!(turns.recv(), Ok(2 * turn + 2));
        }
    }
}
