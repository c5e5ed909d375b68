//! A rank of a communicator: its work in order, and what became of it.

use super::bootstrap::{Id, Registration};
use super::exchange::{Ended, Ranks, Request};
use super::failure::Failure;
use super::peer::Peer;
use crate::processor::Fault;
use crate::runtime::device::Device;
use crate::runtime::stream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, OnceLock, PoisonError};
use std::thread;
use std::time::Duration;

/// How often one that waits looks whether it shall stop.
const POLL: Duration = Duration::from_millis(5);

pub(super) struct Communicator {
    pub(super) rank: usize,
    pub(super) device: &'static Device,
    peers: Vec<Option<Peer>>,
    /// Operations queued and done. They run in the order of their calls, on whichever stream.
    turns: Mutex<Turns>,
    next: Condvar,
    aborted: AtomicBool,
    failure: OnceLock<Failure>,
}

#[derive(Default)]
struct Turns {
    queued: u64,
    done: u64,
}

impl Communicator {
    pub(super) fn new(id: &Id, rank: usize, count: usize, device: &'static Device) -> Result<Self, Failure> {
        let of = Registration { rank: rank as u32, count: count as u32, device: device.ordinal as u32 };
        let sockets = id.connect(of)?;
        let peers =
            sockets.into_iter().map(|socket| socket.map(Peer::new).transpose()).collect::<Result<_, _>>();
        Ok(Self {
            rank,
            device,
            peers: peers.map_err(|error| Failure::system("cannot use a connection", &error))?,
            turns: Mutex::default(),
            next: Condvar::new(),
            aborted: AtomicBool::new(false),
            failure: OnceLock::new(),
        })
    }

    /// The number of ranks.
    pub(super) fn count(&self) -> usize {
        self.peers.len()
    }

    pub(super) fn failure(&self) -> Option<&Failure> {
        self.failure.get()
    }

    /// The number of the operation that is queued now.
    pub(super) fn take_turn(&self) -> u64 {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        turns.queued += 1;
        turns.queued
    }

    /// Runs the operations of a group in their turn. Once one has failed the stream waits here until the communicator is aborted.
    pub(super) fn run(&self, turn: u64, group: &[Request]) -> Result<(), Fault> {
        self.wait_until(|turns| turns.done + 1 == turn);
        let mut fault = Ok(());
        if !self.is_stopped() && self.failure.get().is_none() {
            let ranks = Ranks { rank: self.rank, peers: &self.peers, stop: || self.is_stopped() };
            match ranks.run(group) {
                Ok(()) | Err(Ended::Stopped) => {}
                Err(Ended::Failed(failure)) => _ = self.failure.set(failure),
                Err(Ended::Fault(found)) => fault = Err(found),
            }
        }
        while self.failure.get().is_some() && !self.is_stopped() {
            thread::sleep(POLL);
        }
        self.turns.lock().unwrap_or_else(PoisonError::into_inner).done += 1;
        self.next.notify_all();
        fault
    }

    /// Waits for what is queued, unless it failed.
    pub(super) fn finish(&self) {
        self.wait_until(|turns| turns.done == turns.queued || self.failure.get().is_some());
        self.close(self.failure.get().is_some());
    }

    pub(super) fn abort(&self) {
        self.aborted.store(true, Ordering::Release);
        self.next.notify_all();
        self.close(true);
    }

    fn close(&self, now: bool) {
        self.aborted.store(true, Ordering::Release);
        self.peers.iter().flatten().for_each(|peer| peer.close(now));
    }

    fn is_stopped(&self) -> bool {
        self.aborted.load(Ordering::Acquire) || stream::is_exiting()
    }

    fn wait_until(&self, reached: impl Fn(&Turns) -> bool) {
        let mut turns = self.turns.lock().unwrap_or_else(PoisonError::into_inner);
        while !reached(&turns) && !self.is_stopped() {
            turns = self.next.wait_timeout(turns, POLL).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// The sockets go with it: also where it was leaked by nobody's `destroy`.
impl Drop for Communicator {
    fn drop(&mut self) {
        self.close(true);
    }
}
