//! What a communicator's calls and its watching thread share.

use std::collections::VecDeque;
use std::mem;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use rocm_hip::{Event, HipError, Stream};
use rocm_sys::rccl::ncclComm;

use crate::description::Call;
use crate::library::Caller;
use crate::{Cause, Failure};

pub(crate) struct Shared {
    pub(crate) caller: Caller,
    pub(crate) world_size: u32,
    /// RCCL's communicator; null once it is gone.
    raw: AtomicPtr<ncclComm>,
    /// RCCL takes one call at a time.
    pub(crate) calling: Mutex<()>,
    pub(crate) work: Mutex<Work>,
    /// Set by `fail`, read by `failure`.
    failure: OnceLock<Failure>,
    limit: AtomicU64,
    /// The communicator is dropped: what is queued still runs.
    pub(crate) closing: AtomicBool,
    pub(crate) aborting: AtomicBool,
}

/// Calls that were made.
#[derive(Default)]
pub(crate) struct Work {
    /// Not known to be done, in their order.
    pub(crate) in_flight: VecDeque<InFlight>,
    /// Not reported to the hub yet.
    pub(crate) unreported: Vec<Call>,
    /// Events for reuse.
    pub(crate) events: Vec<Event>,
    /// How many collectives there were.
    pub(crate) collectives: u64,
}

pub(crate) struct InFlight {
    pub(crate) call: Call,
    pub(crate) began: Instant,
    /// That of the buffers, and that on which it runs.
    pub(crate) streams: [Stream; 2],
    /// Behind the work; `None` while RCCL is being called.
    pub(crate) event: Option<Event>,
}

impl Shared {
    pub(crate) fn new(caller: Caller, world_size: u32, raw: *mut ncclComm, limit: Duration) -> Self {
        let shared = Self {
            caller,
            world_size,
            raw: AtomicPtr::new(raw),
            calling: Mutex::default(),
            work: Mutex::default(),
            failure: OnceLock::new(),
            limit: AtomicU64::new(0),
            closing: AtomicBool::new(false),
            aborting: AtomicBool::new(false),
        };
        shared.set_limit(limit);
        shared
    }

    pub(crate) fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leaves the failure with the streams of what is in flight, and with whoever asks.
    pub(crate) fn fail(&self, cause: Cause) {
        let mut work = self.work();
        let operation = work.in_flight.front().map(|one| one.call.to_string());
        let failure = self.failure.get_or_init(|| Failure { rank: self.caller.rank, operation, cause });
        // Once for each stream: its user may take the error while it is left with others.
        let mut told = Vec::new();
        for stream in mem::take(&mut work.in_flight).into_iter().flat_map(|one| one.streams) {
            if !told.contains(&stream) {
                stream.defer(HipError::Queued(Arc::new(failure.clone())));
                told.push(stream);
            }
        }
    }

    /// Why the communicator is of no use any more. The streams have it by then: who knows of the failure can wait for a stream once, and
    /// nothing of it comes later.
    pub(crate) fn failure(&self) -> Option<&Failure> {
        let failure = self.failure.get()?;
        if !rocm_hip::in_forked_child() {
            // Held until all streams have it.
            drop(self.work());
        }
        Some(failure)
    }

    /// RCCL's communicator, or why there is none.
    pub(crate) fn raw(&self) -> Result<*mut ncclComm, Failure> {
        match self.failure() {
            Some(failure) => Err(failure.clone()),
            None => Ok(self.raw.load(Ordering::Acquire)),
        }
    }

    /// RCCL's communicator, for whoever ends it; null if somebody has.
    pub(crate) fn take_raw(&self) -> *mut ncclComm {
        self.raw.swap(ptr::null_mut(), Ordering::AcqRel)
    }

    pub(crate) fn limit(&self) -> Duration {
        Duration::from_millis(self.limit.load(Ordering::Relaxed))
    }

    pub(crate) fn set_limit(&self, limit: Duration) {
        self.limit.store(u64::try_from(limit.as_millis()).unwrap_or(u64::MAX), Ordering::Relaxed);
    }
}
