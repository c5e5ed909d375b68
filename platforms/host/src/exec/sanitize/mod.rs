//! Kernels that are checked while they run.
//!
//! The environment chooses the checker for the whole process; [`crate::sanitizer_environment`] says what else a process needs. [`address`] and
//! [`thread`] tell the sanitizers' libraries which coroutine runs and what is ordered; [`schedule`] randomises the order of
//! threads. [`crate::sanitizer`] says which checker there is, and how streams are ordered.

mod address;
mod schedule;
mod thread;

use super::launch::Launch;
use super::loading::Copy;
use super::stack::FiberStack;

pub(crate) use crate::sanitizer::{Sanitizer, VARIABLE};
pub(crate) use schedule::Random;

impl Sanitizer {
    /// Whether this process can load modules of this kind. The error says why not.
    pub(crate) fn check_process(self) -> Result<(), String> {
        let has = match self {
            Self::Address => address::is_loaded(),
            Self::Thread => thread::is_loaded(),
            Self::Schedule => true,
        };
        if has {
            return Ok(());
        }
        let name = self.name();
        Err(format!(
            "{VARIABLE}={name} needs the sanitizer's library from the start of the process: \
             use `cargo xtask test --sanitize {name}`, or set what candle_rocm_host::sanitizer_environment says"
        ))
    }
}

/// What a runner does besides running when kernels are checked.
pub(crate) enum Checks {
    Address(address::Address),
    Thread(Box<thread::Thread>),
    Schedule(schedule::Schedule),
}

/// Where a thread waits, to be handed back when it goes on.
#[derive(Clone, Copy, Default)]
pub(crate) struct Ticket(usize);

impl Checks {
    /// What this process was started for, if for anything.
    pub(crate) fn new() -> Option<Self> {
        match Sanitizer::active()? {
            Sanitizer::Address => address::Address::new().map(Self::Address),
            Sanitizer::Thread => thread::Thread::new().map(|thread| Self::Thread(Box::new(thread))),
            Sanitizer::Schedule => Some(Self::Schedule(schedule::Schedule::new())),
        }
    }

    /// How many blocks in a row are to have nothing in common, not even shared memory.
    pub(crate) fn slots(&self, threads: u32) -> usize {
        match self {
            Self::Thread(_) => thread::slots(threads),
            _ => 1,
        }
    }

    /// Whether each thread of a block needs a coroutine of its own.
    pub(crate) fn one_fiber_per_thread(&self) -> bool {
        matches!(self, Self::Thread(_))
    }

    /// The source of schedules, if they are random.
    pub(crate) fn random(&mut self) -> Option<&mut Random> {
        match self {
            Self::Schedule(schedule) => Some(&mut schedule.random),
            _ => None,
        }
    }

    pub(crate) fn begin_launch(&mut self, launch: &Launch, copies: &[Copy]) {
        match self {
            Self::Address(address) => copies.iter().for_each(|copy| address.begin_launch(launch, copy)),
            Self::Thread(thread) => thread.begin_launch(),
            Self::Schedule(_) => {}
        }
    }

    pub(crate) fn end_launch(&mut self, launch: &Launch, copies: &[Copy]) {
        match self {
            Self::Address(address) => copies.iter().for_each(|copy| address.end_launch(launch, copy)),
            Self::Thread(thread) => thread.end_launch(),
            Self::Schedule(_) => {}
        }
    }

    pub(crate) fn begin_block(&mut self, launch: &Launch, copy: &Copy, index: u64, slot: usize) {
        match self {
            Self::Address(_) => {}
            Self::Thread(thread) => thread.begin_block(launch, index, slot),
            Self::Schedule(schedule) => schedule.begin_block(launch, copy, index),
        }
    }

    pub(crate) fn end_block(&mut self) {
        if let Self::Thread(thread) = self {
            thread.end_block();
        }
    }

    /// A new coroutine.
    pub(crate) fn add_fiber(&mut self, stack: &FiberStack) {
        match self {
            Self::Address(address) => address.add_fiber(stack),
            Self::Thread(thread) => thread.add_fiber(),
            Self::Schedule(_) => {}
        }
    }

    /// A coroutine has been abandoned in the middle of something.
    pub(crate) fn reset_fiber(&mut self, fiber: u32) {
        match self {
            Self::Address(address) => address.reset_fiber(fiber),
            Self::Thread(thread) => thread.reset_fiber(fiber),
            Self::Schedule(_) => {}
        }
    }

    /// The scheduler is about to switch to a coroutine.
    pub(crate) fn before_resume(&mut self, fiber: u32) {
        match self {
            Self::Address(address) => address.before_resume(fiber),
            Self::Thread(thread) => thread.switch_to(fiber),
            Self::Schedule(_) => {}
        }
    }

    /// A coroutine has switched to the scheduler.
    pub(crate) fn after_resume(&mut self) {
        match self {
            Self::Address(address) => address.after_resume(),
            Self::Thread(thread) => thread.switch_back(),
            Self::Schedule(_) => {}
        }
    }

    /// The coroutine that runs is about to switch to the scheduler.
    pub(crate) fn before_suspend(&mut self, fiber: u32) {
        if let Self::Address(address) = self {
            address.before_suspend(fiber);
        }
    }

    /// The scheduler has switched to this coroutine.
    pub(crate) fn after_suspend(&mut self, fiber: u32) {
        if let Self::Address(address) = self {
            address.after_suspend(fiber);
        }
    }

    /// A coroutine is about to run a thread.
    pub(crate) fn begin_threads(&mut self) {
        if let Self::Thread(thread) = self {
            thread.begin_thread();
        }
    }

    /// That thread has ended.
    pub(crate) fn end_threads(&mut self) {
        if let Self::Thread(thread) = self {
            thread.end_thread();
        }
    }

    /// Which thread that is.
    pub(crate) fn name_thread(&mut self, fiber: u32, launch: &Launch, thread: &dyn std::fmt::Display) {
        if let Self::Thread(checks) = self {
            checks.name(fiber, launch, thread);
        }
    }

    pub(crate) fn arrive_at_barrier(&mut self) -> Ticket {
        match self {
            Self::Thread(thread) => thread.arrive_at_barrier(),
            _ => Ticket::default(),
        }
    }

    pub(crate) fn barrier_opens(&mut self) {
        if let Self::Thread(thread) = self {
            thread.barrier_opens();
        }
    }

    pub(crate) fn arrive_at_wave(&mut self, wave: usize) -> Ticket {
        match self {
            Self::Thread(thread) => thread.arrive_at_wave(wave),
            _ => Ticket::default(),
        }
    }

    pub(crate) fn wave_goes_on(&mut self, wave: usize) {
        if let Self::Thread(thread) = self {
            thread.wave_goes_on(wave);
        }
    }

    /// A thread goes on from a barrier or an operation of its wavefront.
    pub(crate) fn depart(&mut self, ticket: Ticket) {
        if let Self::Thread(thread) = self {
            thread.depart(ticket);
        }
    }
}

/// A fence in a kernel: what was written before is ordered before what is read after another thread's fence.
pub(crate) fn fence() {
    thread::fence();
}
