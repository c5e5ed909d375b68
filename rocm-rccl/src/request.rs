//! Requests: how what a rank asks for is queued.

use std::sync::{MutexGuard, PoisonError};
use std::time::Instant;

use rocm_hip::{Event, HipError, Stream, trace};
use rocm_sys::rccl::ncclResult_t;

use crate::arguments::{Arguments, Operation, in_group};
use crate::description::Call;
use crate::memory::Memory;
use crate::shared::{InFlight, Shared};
use crate::{Communicator, Result};

/// An operation that [`run`](Request::run) queues on the stream of its buffers, alone or with others in a [`group`].
///
/// It reads what earlier work on the stream computed, and later work can use what it writes. The host does not wait.
#[must_use = "it does nothing until it is run"]
pub struct Request<'a> {
    communicator: &'a Communicator,
    /// That of the buffers.
    own: &'a Stream,
    /// Where it runs.
    stream: &'a Stream,
    call: Call,
    arguments: Arguments,
    buffers: [Option<&'a dyn Memory>; 2],
}

impl<'a> Request<'a> {
    pub(crate) fn new(
        communicator: &'a Communicator,
        own: &'a Stream,
        call: Call,
        arguments: Arguments,
        buffers: [Option<&'a dyn Memory>; 2],
    ) -> Self {
        Self { communicator, own, stream: own, call, arguments, buffers }
    }

    /// Runs the operation on another stream of the device, after all work that the stream of its buffers has been given by then. That
    /// stream goes on meanwhile, and [waits](Stream::wait_for) before it reads the result. It waits by itself before it writes to the
    /// buffers and before their memory is reused, so keep both until you need the result.
    ///
    /// # Errors
    /// [`HipError::WrongDevice`].
    pub fn on(self, stream: &'a Stream) -> Result<Self> {
        let (lhs, rhs) = (stream.device(), self.communicator.device());
        if lhs != rhs {
            let (op, lhs, rhs) = (self.call.name, lhs.to_string(), rhs.to_string());
            return Err(HipError::WrongDevice { op, lhs, rhs }.into());
        }
        Ok(Self { stream, ..self })
    }

    /// Queues the operation.
    ///
    /// # Errors
    /// [`RcclError::Failed`](crate::RcclError::Failed) if the communicator can no longer be used,
    /// [`RcclError::Call`](crate::RcclError::Call) if RCCL refuses the call.
    pub fn run(self) -> Result<()> {
        group([self])
    }

    fn shared(&self) -> &Shared {
        &self.communicator.shared
    }

    /// Comes before RCCL is called: a call that does not return is watched too.
    fn announce(&self) {
        let mut work = self.shared().work();
        let mut call = self.call;
        if !matches!(self.arguments.operation, Operation::Send(_) | Operation::Receive(_)) {
            work.collectives += 1;
            call.number = Some(work.collectives);
        }
        let streams = [self.own.clone(), self.stream.clone()];
        work.unreported.push(call);
        work.in_flight.push_back(InFlight { call, began: Instant::now(), streams, event: None });
    }

    fn queue(&self) -> Result<()> {
        let caller = self.shared().caller;
        caller.device.bind()?;
        self.stream.wait_for(self.own)?;
        let raw = self.shared().raw()?;
        let (call, code) =
            self.arguments.call(caller.rccl, raw, self.stream.as_raw(), self.shared().world_size);
        caller.check(call, raw, code)
    }

    /// Marks the end of the operation, which the watching thread looks for.
    fn mark(&self, event: Event) -> Result<()> {
        event.record(self.stream)?;
        let mut work = self.shared().work();
        if let Some(one) = work.in_flight.iter_mut().find(|one| one.event.is_none()) {
            one.event = Some(event);
        }
        Ok(())
    }

    fn event(&self) -> Result<Event> {
        let reused = self.shared().work().events.pop();
        Ok(reused.map_or_else(|| Event::new(self.communicator.device()), Ok)?)
    }
}

/// Queues operations together: those of several communicators driven by one thread, or those of ranks that send to each other. No operation
/// of the group waits for another one to be queued.
///
/// # Errors
/// As [`Request::run`]. If one operation is refused, it is unspecified whether the others are queued: discard the communicators.
pub fn group<'a>(requests: impl IntoIterator<Item = Request<'a>>) -> Result<()> {
    let requests: Vec<Request<'a>> = requests.into_iter().collect();
    let Some(first) = requests.first() else { return Ok(()) };
    let caller = first.shared().caller;
    caller.device.check_usable()?;
    let _span = trace::span("collective", || first.call.to_string());
    let _calling = lock(&requests);
    for request in &requests {
        request.shared().raw()?;
        request.announce();
    }
    let mut refused = Ok(());
    let queue = |requests: &[Request<'a>], refused: &mut Result<()>| {
        *refused = requests.iter().try_for_each(Request::queue);
        Ok(ncclResult_t::ncclSuccess)
    };
    let ended = match &requests[..] {
        [_] => queue(&requests, &mut refused),
        requests => in_group(caller.rccl, || queue(requests, &mut refused)),
    };
    // Also of what was refused: a part of it may be queued.
    for request in &requests {
        request.buffers.iter().flatten().for_each(|buffer| buffer.used_on(request.stream));
    }
    let result = refused.and_then(|()| caller.check("ncclGroupEnd", std::ptr::null_mut(), ended));
    match result {
        Ok(()) => requests.iter().try_for_each(|request| request.mark(request.event()?)),
        Err(error) => {
            requests
                .iter()
                .for_each(|request| request.shared().work().in_flight.retain(|one| one.event.is_some()));
            // A communicator that was aborted in the midst of a call says why.
            requests
                .iter()
                .find_map(|request| request.shared().raw().err())
                .map_or(Err(error), |why| Err(why.into()))
        }
    }
}

/// Nobody else calls with these communicators. Always in one order, so that no two threads wait for each other.
fn lock<'b>(requests: &'b [Request<'_>]) -> Vec<MutexGuard<'b, ()>> {
    let mut all: Vec<&Shared> = requests.iter().map(Request::shared).collect();
    all.sort_by_key(|shared| std::ptr::from_ref(*shared));
    all.dedup_by_key(|shared| std::ptr::from_ref(*shared));
    all.into_iter().map(|shared| shared.calling.lock().unwrap_or_else(PoisonError::into_inner)).collect()
}
