//! ThreadSanitizer sees each GPU thread of a block as a fiber. Only barriers, wavefront operations and fences order them.
//!
//! One thread of this process runs a launch, one block after another. Blocks are unordered nonetheless: neighbours use
//! different fibers and different copies of the module. What orders launches is in [`crate::sanitizer::order`].

use std::ffi::{CString, c_uint, c_void};
use std::ptr;

use super::Ticket;
use crate::exec::launch::Launch;
use crate::sanitizer::thread::{Functions, functions};
pub(super) use crate::sanitizer::thread::{fence, is_loaded};

/// The maximum number of unordered blocks.
const SLOTS: usize = 4;

/// The maximum number of wavefronts in a block.
const WAVES: usize = 32;

/// How many consecutive blocks are unordered. The sanitizer supports some 8,000 threads in all.
pub(super) fn slots(threads: u32) -> usize {
    (1024 / threads as usize).clamp(2, SLOTS)
}

/// Switches without ordering what came before and after.
const NO_SYNC: c_uint = 1;

/// Addresses by which the sanitizer knows what is ordered.
#[derive(Default)]
struct Tokens {
    launch: u64,
    /// Orders launches that use the same fibers.
    launches: u64,
    slots: [SlotTokens; SLOTS],
}

#[derive(Default)]
struct SlotTokens {
    /// The end of the slot's last block and of the one that runs, in turn.
    end: [u64; 2],
    /// The last and the next generation of the barrier, in turn: a thread that is slow to leave one must not be ordered after
    /// threads that have reached the next.
    barrier: [u64; 2],
    waves: [[u64; 2]; WAVES],
}

pub(crate) struct Thread {
    functions: Functions,
    /// The thread of this process, as a fiber.
    own: *mut c_void,
    fibers: Vec<*mut c_void>,
    tokens: Box<Tokens>,
    slot: usize,
    block: [u64; 3],
    /// How many blocks have run in each slot.
    blocks: [usize; SLOTS],
    barriers: usize,
    operations: [usize; WAVES],
}

impl Thread {
    pub(super) fn new() -> Option<Self> {
        Some(Self {
            functions: *functions()?,
            own: ptr::null_mut(),
            fibers: Vec::new(),
            tokens: Box::default(),
            slot: 0,
            block: [0; 3],
            blocks: [0; SLOTS],
            barriers: 0,
            operations: [0; WAVES],
        })
    }

    fn acquire(&self, token: &u64) {
        // SAFETY: only an address to the sanitizer.
        unsafe { (self.functions.acquire)(ptr::from_ref(token).cast_mut().cast()) };
    }

    fn release(&self, token: &u64) {
        // SAFETY: only an address to the sanitizer.
        unsafe { (self.functions.release)(ptr::from_ref(token).cast_mut().cast()) };
    }

    fn tokens(&self) -> &SlotTokens {
        &self.tokens.slots[self.slot]
    }

    pub(super) fn begin_launch(&mut self) {
        // SAFETY: gives the calling thread's own fiber.
        self.own = unsafe { (self.functions.current)() };
        self.acquire(&self.tokens.launches);
        self.release(&self.tokens.launch);
    }

    pub(super) fn end_launch(&mut self) {
        for slot in &self.tokens.slots {
            slot.end.iter().for_each(|token| self.acquire(token));
        }
        self.release(&self.tokens.launches);
    }

    pub(super) fn begin_block(&mut self, launch: &Launch, index: u64, slot: usize) {
        let [x, y, _] = launch.grid.map(u64::from);
        self.block = [index % x, index / x % y, index / x / y];
        self.slot = slot;
    }

    pub(super) fn end_block(&mut self) {
        self.blocks[self.slot] += 1;
    }

    pub(super) fn add_fiber(&mut self) {
        // SAFETY: makes a fiber.
        self.fibers.push(unsafe { (self.functions.create)(0) });
    }

    pub(super) fn reset_fiber(&mut self, fiber: u32) {
        let fiber = &mut self.fibers[fiber as usize];
        // SAFETY: a fiber of ours that does not run, which is replaced.
        unsafe {
            (self.functions.destroy)(*fiber);
            *fiber = (self.functions.create)(0);
        }
    }

    pub(super) fn switch_to(&mut self, fiber: u32) {
        // SAFETY: a fiber of ours, whose stack is used next.
        unsafe { (self.functions.switch)(self.fibers[fiber as usize], NO_SYNC) };
    }

    pub(super) fn switch_back(&mut self) {
        // SAFETY: the fiber of this thread of the process, whose stack is used again.
        unsafe { (self.functions.switch)(self.own, NO_SYNC) };
    }

    pub(super) fn begin_thread(&mut self) {
        self.acquire(&self.tokens.launch);
        // The slot's last block; this one's threads release the other token.
        self.acquire(&self.tokens().end[(self.blocks[self.slot] + 1) % 2]);
    }

    pub(super) fn end_thread(&mut self) {
        self.release(&self.tokens().end[self.blocks[self.slot] % 2]);
    }

    pub(super) fn name(&mut self, fiber: u32, launch: &Launch, thread: &dyn std::fmt::Display) {
        let [x, y, z] = self.block;
        let name = format!("{} block ({x},{y},{z}) thread {thread}", launch.name());
        if let Ok(name) = CString::new(name) {
            // SAFETY: a fiber of ours and a string, which the sanitizer copies.
            unsafe { (self.functions.name)(self.fibers[fiber as usize], name.as_ptr()) };
        }
    }

    fn ticket(&self, token: &u64) -> Ticket {
        self.release(token);
        Ticket(ptr::from_ref(token) as usize)
    }

    pub(super) fn arrive_at_barrier(&mut self) -> Ticket {
        self.ticket(&self.tokens().barrier[self.barriers % 2])
    }

    pub(super) fn barrier_opens(&mut self) {
        self.barriers += 1;
    }

    pub(super) fn arrive_at_wave(&mut self, wave: usize) -> Ticket {
        self.ticket(&self.tokens().waves[wave % WAVES][self.operations[wave % WAVES] % 2])
    }

    pub(super) fn wave_goes_on(&mut self, wave: usize) {
        self.operations[wave % WAVES] += 1;
    }

    pub(super) fn depart(&mut self, ticket: Ticket) {
        // SAFETY: one of the tokens, on which this thread has arrived.
        unsafe { (self.functions.acquire)(ticket.0 as *mut c_void) };
    }
}

// SAFETY: one thread of the process at a time uses it, under a lock; fibers belong to no thread.
unsafe impl Send for Thread {}
