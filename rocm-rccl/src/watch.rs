//! The thread that watches over a communicator: nobody else waits for queued work.
//!
//! It tells the hub of calls and hears of other ranks from it, asks RCCL for asynchronous errors while something is queued, and when
//! something went wrong aborts the communicator, so that the stream goes on, after it has left the error with the stream.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{Duration, Instant};

use rocm_sys::rccl::{ncclResult_t, result_name};

use crate::Cause;
use crate::link::Link;
use crate::message::{BATCH, Notice, Report};
use crate::shared::{InFlight, Shared};

/// How often it looks.
const TICK: Duration = Duration::from_millis(10);
/// How long the hub may take to say what happened.
const VERDICT: Duration = Duration::from_secs(30);
/// How long a call may take to end before the communicator is aborted under it.
const PATIENCE: Duration = Duration::from_secs(1);

pub(crate) fn run(shared: &Arc<Shared>, link: Link) {
    let mut watch = Watch { shared: shared.clone(), link, left: Vec::new(), asked: None };
    // Its error would come again at the first call.
    let _ = shared.caller.device.bind();
    loop {
        if shared.failure().is_none()
            && let Some(cause) = watch.look()
        {
            watch.fail(cause);
        }
        let idle = shared.failure().is_some() || shared.work().in_flight.is_empty();
        if shared.closing.load(Ordering::Acquire) && idle {
            return watch.end();
        }
        thread::park_timeout(TICK);
    }
}

struct Watch {
    shared: Arc<Shared>,
    link: Link,
    /// Ranks that are done, each after so many collectives.
    left: Vec<(u32, u64)>,
    /// When the hub was told that something is wrong here. It knows which rank failed first, or is missing.
    asked: Option<Instant>,
}

impl Watch {
    /// What went wrong, if something did.
    fn look(&mut self) -> Option<Cause> {
        self.report();
        while let Some(notice) = self.link.next() {
            match notice {
                Notice::Failed(cause) => return Some(cause),
                Notice::Left { rank, calls } => self.left.push((rank, calls)),
                Notice::Welcome(_) | Notice::Refused(_) | Notice::Ready => {}
            }
        }
        // The hub ends with its process. That one may be done with the communicator, and others go on without it.
        if self.link.is_closed() && !self.left.iter().any(|&(rank, _)| rank == 0) {
            return Some(Cause::Lost { rank: 0 });
        }
        let rank = self.shared.caller.rank;
        if self.shared.aborting.load(Ordering::Acquire) {
            return Some(Cause::Aborted { rank });
        }
        let (call, began) = self.oldest()?;
        let gone = self.left.iter().find(|(_, calls)| call.number.is_some_and(|number| *calls < number));
        if let Some(&(rank, _)) = gone {
            return Some(Cause::Left { rank });
        }
        let limit = self.shared.limit();
        let operation = call.to_string();
        let (report, cause) = match self.asynchronous_error() {
            Some(cause) => (Report::Failed(cause.clone()), cause),
            None if began.elapsed() < limit => {
                self.asked = None;
                return None;
            }
            None => (
                Report::Stuck { number: call.number, operation: operation.clone(), limit },
                Cause::Timeout { rank, operation, limit, missing: Vec::new() },
            ),
        };
        match self.asked {
            None => {
                self.asked = Some(Instant::now());
                self.link.send(&report);
                None
            }
            Some(asked) if asked.elapsed() < VERDICT && !self.link.is_closed() => None,
            Some(_) => Some(cause),
        }
    }

    /// Tells the hub what was called.
    fn report(&mut self) {
        let unreported = std::mem::take(&mut self.shared.work().unreported);
        let calls: Vec<_> = unreported.iter().filter_map(|call| call.description()).collect();
        calls.chunks(BATCH).for_each(|calls| self.link.send(&Report::Called(calls.to_vec())));
    }

    /// The first call that is not done, and when it was made.
    fn oldest(&self) -> Option<(crate::description::Call, Instant)> {
        let mut work = self.shared.work();
        // What failed on the device, the stream reports.
        let done = |one: &InFlight| one.event.as_ref().is_some_and(|event| event.is_done().unwrap_or(true));
        while work.in_flight.front().is_some_and(done) {
            let event = work.in_flight.pop_front().and_then(|one| one.event);
            work.events.extend(event);
        }
        work.in_flight.front().map(|one| (one.call, one.began))
    }

    fn asynchronous_error(&self) -> Option<Cause> {
        let caller = self.shared.caller;
        let raw = self.shared.raw().ok()?;
        let mut code = ncclResult_t::ncclSuccess;
        // SAFETY: the communicator lives until this thread ends it, and the out-parameter is valid.
        let asked = unsafe { caller.rccl.ncclCommGetAsyncError(raw, &mut code) };
        let fine = [ncclResult_t::ncclSuccess, ncclResult_t::ncclInProgress];
        if !matches!(asked, Ok(ncclResult_t::ncclSuccess)) || fine.contains(&code) {
            return None;
        }
        let (name, message) = (result_name(code).to_owned(), caller.last_error(raw));
        Some(Cause::Library { rank: caller.rank, name, message })
    }

    /// Leaves the error with whoever asks, tells the others, and frees the streams.
    fn fail(&mut self, cause: Cause) {
        let shared = &self.shared;
        self.link.send(&Report::Failed(cause.clone()));
        shared.fail(cause);
        // A call that is being made may wait for what will not come. It ends by the abort, which otherwise comes after it.
        let began = Instant::now();
        let calling = loop {
            match shared.calling.try_lock() {
                Err(std::sync::TryLockError::WouldBlock) if began.elapsed() < PATIENCE => {
                    thread::sleep(Duration::from_millis(1));
                }
                calling => break calling.ok(),
            }
        };
        let raw = shared.take_raw();
        if !raw.is_null() {
            // SAFETY: whoever takes it ends it, once.
            let _ = unsafe { shared.caller.rccl.ncclCommAbort(raw) };
        }
        drop(calling);
    }

    fn end(&mut self) {
        self.report();
        self.link.send(&Report::Bye);
        // If this process has the hub, it may end now: not before the others know that this rank is done.
        let (rank, asked) = (self.shared.caller.rank, Instant::now());
        while !self.link.is_closed() && asked.elapsed() < VERDICT {
            match self.link.next() {
                Some(Notice::Left { rank: left, .. }) if left == rank => break,
                Some(Notice::Failed(_)) => break,
                _ => {}
            }
        }
        let raw = self.shared.take_raw();
        if !raw.is_null() {
            // SAFETY: whoever takes it ends it, once; its work is done.
            let _ = unsafe { self.shared.caller.rccl.ncclCommDestroy(raw) };
        }
    }
}
