//! Running blocks on one thread of this process.
//!
//! The threads of a block run one after another on one coroutine until one has to wait for the block or its wavefront. Then another
//! coroutine takes over with the next thread. A kernel that never waits costs one function call per thread.
//!
//! The scheduler here and what the kernel calls ([`super::hooks`]) use the same [`Runner`] from different stacks, so
//! it is only ever used through a raw pointer while a coroutine runs.

use std::cell::Cell;
use std::ffi::c_void;
use std::ops::Range;
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::abi;
use super::fiber::{Fiber, Site, State};
use super::hooks;
use super::launch::Launch;
use super::loading::Copy;
use super::sanitize::{Checks, Sanitizer};
use super::signal::{self, Signal};
use super::stack::FiberStack;
use super::wave::{self, Wave};
use crate::processor::Fault;
use rocm_sys::hip::hipError_t;

/// The maximum number of threads per block.
pub(crate) const MAX_THREADS: u32 = 1024;

/// The maximum number of coroutines: one per thread, of more than one block with some checkers.
const MAX_FIBERS: usize = 2 * MAX_THREADS as usize;

const STACK_SIZE: usize = 64 << 10;

/// Instrumented frames are larger.
const CHECKED_STACK_SIZE: usize = 512 << 10;

const NONE: u32 = u32::MAX;

/// What a thread of this process needs to run blocks. It is created once and reused for every launch.
pub(crate) struct Runner {
    /// Never more than its capacity: fibers must not move.
    fibers: Vec<Fiber>,
    idle: Vec<u32>,
    /// The fiber that runs.
    pub(super) current: u32,

    /// Whose copies of modules it uses.
    number: usize,

    // The launch.
    pub(super) run: unsafe extern "sysv64" fn(*const *const c_void),
    pub(super) arguments: *const *const c_void,
    threads: u32,
    pub(super) wave_shift: u32,
    position: unsafe extern "sysv64" fn() -> u64,
    launch: *const Launch,
    block: [u32; 3],

    // The block.
    /// How many threads have started.
    pub(super) started: u32,
    /// Fibers that can continue, and how many of them have.
    ready: Vec<u32>,
    ready_at: usize,
    pub(super) waves: Vec<Wave>,
    /// Wavefronts with lanes that wait at an operation.
    pub(super) pending: Vec<u32>,
    /// The fiber of each thread that waits at a barrier or is about to leave it.
    at_barrier: Vec<u32>,
    pub(super) waiting: u32,
    /// How many of the threads at the barrier have a true predicate.
    pub(super) predicates: u32,
    pub(super) barrier_site: Site,
    pub(super) barrier_thread: u32,
    /// A thread that waits at a different barrier than the others.
    pub(super) elsewhere: Option<(u32, Site)>,
    pub(super) barrier_result: u64,
    /// The next wavefront to leave the barrier; the number of wavefronts once all have.
    leaving: usize,
    pub(super) failure: Option<(u32, String, hipError_t)>,

    /// The order in which threads start, if it is not that of their numbers.
    order: Vec<u32>,
    wave_order: Vec<u32>,
    /// How many threads have started when all of a wavefront have.
    wave_end: Vec<u32>,

    pub(super) checks: Option<Checks>,
    /// Whether there are checks.
    pub(super) checked: bool,
}

thread_local! {
    static RUNNER: Cell<*mut Runner> = const { Cell::new(ptr::null_mut()) };
    static OWNER: Owner = const { Owner };
}

/// Frees the thread's runner when the thread ends.
struct Owner;

impl Drop for Owner {
    fn drop(&mut self) {
        let runner = RUNNER.replace(ptr::null_mut());
        if !runner.is_null() {
            // SAFETY: made by `Box::into_raw` below, and nothing runs in it when its thread ends.
            drop(unsafe { Box::from_raw(runner) });
        }
    }
}

/// How many runners ThreadSanitizer can tell apart: it knows some 8,000 threads in all.
const CHECKED: usize = 3;

/// A runner that threads of the process share, one at a time.
struct Shared(*mut Runner);

// SAFETY: used under a lock only; coroutines may be resumed by any thread.
unsafe impl Send for Shared {}

static SHARED: [Mutex<Shared>; CHECKED] = [const { Mutex::new(Shared(ptr::null_mut())) }; CHECKED];

thread_local! {
    /// Which of them this thread uses: streams with the same one are ordered by that.
    static NUMBER: usize = {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        NEXT.fetch_add(1, Ordering::Relaxed) % CHECKED
    };
}

/// Runs the blocks that `claim` gives, on this thread.
pub(crate) fn run(launch: &Launch, claim: impl Fn() -> Option<Range<u64>>) -> Result<(), Fault> {
    if Sanitizer::active() != Some(Sanitizer::Thread) {
        let mut runner = RUNNER.get();
        if runner.is_null() {
            runner = Box::into_raw(Box::new(Runner::new(0)));
            RUNNER.set(runner);
            OWNER.with(|_| ());
            signal::prepare_thread();
        }
        // SAFETY: this thread's runner, and no other call uses it: kernels cannot launch kernels.
        return unsafe { Runner::run(runner, launch, claim) };
    }
    let number = NUMBER.with(|number| *number);
    let mut shared = SHARED[number].lock().unwrap_or_else(PoisonError::into_inner);
    if shared.0.is_null() {
        shared.0 = Box::into_raw(Box::new(Runner::new(number)));
    }
    // SAFETY: the lock is held.
    unsafe { Runner::run(shared.0, launch, claim) }
}

/// The runner of this thread if a kernel runs in it. For signal handlers.
pub(crate) fn running() -> *mut Runner {
    let runner = RUNNER.try_with(Cell::get).unwrap_or(ptr::null_mut());
    // SAFETY: this thread's runner, which is read only here.
    if !runner.is_null() && unsafe { (*runner).current } != NONE { runner } else { ptr::null_mut() }
}

unsafe extern "sysv64" fn no_kernel(_: *const *const c_void) {}

unsafe extern "sysv64" fn no_position() -> u64 {
    0
}

impl Runner {
    fn new(number: usize) -> Self {
        let checks = Checks::new();
        Self {
            number,
            fibers: Vec::with_capacity(MAX_FIBERS),
            idle: Vec::new(),
            current: NONE,
            run: no_kernel,
            arguments: ptr::null(),
            threads: 0,
            wave_shift: 5,
            position: no_position,
            launch: ptr::null(),
            block: [0; 3],
            started: 0,
            ready: Vec::new(),
            ready_at: 0,
            waves: Vec::new(),
            pending: Vec::new(),
            at_barrier: vec![NONE; MAX_THREADS as usize],
            waiting: 0,
            predicates: 0,
            barrier_site: Site::NOWHERE,
            barrier_thread: 0,
            elsewhere: None,
            barrier_result: 0,
            leaving: 0,
            failure: None,
            order: Vec::with_capacity(MAX_THREADS as usize),
            wave_order: Vec::new(),
            wave_end: Vec::new(),
            checked: checks.is_some(),
            checks,
        }
    }

    /// Runs blocks of a launch.
    unsafe fn run(
        this: *mut Self,
        launch: &Launch,
        claim: impl Fn() -> Option<Range<u64>>,
    ) -> Result<(), Fault> {
        let Some(mut blocks) = claim() else { return Ok(()) };
        let threads = launch.block.iter().product();
        // SAFETY: the caller's runner; no fiber runs.
        let (number, slots) =
            unsafe { ((*this).number, (*this).checks.as_ref().map_or(1, |checks| checks.slots(threads))) };
        let copies: Vec<Copy> = (0..slots)
            .map(|_| launch.module.take_copy(number))
            .collect::<Result<_, _>>()
            .map_err(|why| Fault::launch_failure(format!("kernel {}: {why}", launch.name())))?;
        // SAFETY: the caller's runner and our own copies.
        let result = unsafe {
            Self::enter(this, launch, &copies);
            let result = loop {
                if let Err(fault) = Self::run_blocks(this, launch, &copies, blocks) {
                    break Err(fault);
                }
                match claim() {
                    Some(next) => blocks = next,
                    None => break Ok(()),
                }
            };
            if let Some(checks) = &mut (*this).checks {
                checks.end_launch(launch, &copies);
            }
            result
        };
        copies.into_iter().for_each(|copy| launch.module.give_back(number, copy));
        result
    }

    /// Prepares for the blocks of a launch.
    unsafe fn enter(this: *mut Self, launch: &Launch, copies: &[Copy]) {
        // SAFETY: the caller's runner; no fiber runs.
        let runner = unsafe { &mut *this };
        runner.arguments = launch.arguments.as_ptr();
        runner.threads = launch.block.iter().product();
        runner.wave_shift = launch.module.wave.trailing_zeros();
        runner.launch = launch;
        let waves = runner.threads.div_ceil(launch.module.wave);
        while runner.waves.len() < waves as usize {
            runner.waves.push(Wave::new());
        }
        runner.wave_order.clear();
        runner.wave_order.extend(0..waves);
        if let Some(checks) = &mut runner.checks {
            checks.begin_launch(launch, copies);
        }
        runner.arrange();
        let shared = abi::Launch {
            hooks: &hooks::HOOKS,
            block: this.cast(),
            // Its capacity is enough for any block, so it stays where it is.
            order: runner.order.as_ptr(),
            grid_size: launch.grid,
            block_size: launch.block,
        };
        for copy in copies {
            // SAFETY: the copies belong to this thread.
            unsafe { (copy.table().enter)(&shared) };
        }
    }

    /// The threads of a wavefront.
    fn members(&self, wave: usize) -> Range<usize> {
        let start = wave << self.wave_shift;
        start..(start + (1 << self.wave_shift)).min(self.threads as usize)
    }

    /// Sets the order in which threads start: wavefront by wavefront, shuffled with random schedules.
    fn arrange(&mut self) {
        if let Some(random) = self.checks.as_mut().and_then(Checks::random) {
            random.shuffle(&mut self.wave_order);
        }
        self.wave_end.resize(self.wave_order.len(), 0);
        self.order.clear();
        let mut end = 0;
        for index in 0..self.wave_order.len() {
            let wave = self.wave_order[index] as usize;
            let members = self.members(wave);
            end += members.len() as u32;
            self.wave_end[wave] = end;
            if let Some(random) = self.checks.as_mut().and_then(Checks::random) {
                let start = self.order.len();
                self.order.extend(members.map(|thread| thread as u32));
                random.shuffle(&mut self.order[start..]);
            }
        }
    }

    unsafe fn run_blocks(
        this: *mut Self,
        launch: &Launch,
        copies: &[Copy],
        blocks: Range<u64>,
    ) -> Result<(), Fault> {
        let [x, y, _] = launch.grid.map(u64::from);
        for index in blocks {
            let slot = (index % copies.len() as u64) as usize;
            let copy = &copies[slot];
            let block = [(index % x) as u32, (index / x % y) as u32, (index / x / y) as u32];
            // SAFETY: the caller's runner and copies; no fiber runs.
            unsafe {
                (*this).block = block;
                (*this).run = copy.kernels()[launch.kernel].run;
                (*this).position = copy.table().position;
                if (*this).checked {
                    (*this).begin_checked_block(launch, copy, index, slot);
                }
                (copy.table().block)(block[0], block[1], block[2]);
                let result = Self::run_block(this);
                if let Some(checks) = &mut (*this).checks {
                    checks.end_block();
                }
                if result.is_err() {
                    (*this).abandon();
                    return result;
                }
            }
        }
        Ok(())
    }

    fn begin_checked_block(&mut self, launch: &Launch, copy: &Copy, index: u64, slot: usize) {
        let Some(checks) = &mut self.checks else { return };
        checks.begin_block(launch, copy, index, slot);
        if checks.one_fiber_per_thread() {
            // The slot's own fibers, as far as there are any yet.
            let (from, to) = (slot as u32 * self.threads, (slot as u32 + 1) * self.threads);
            self.idle.clear();
            self.idle.extend((from..to.min(self.fibers.len() as u32)).rev());
        }
        self.arrange();
    }

    /// Runs one block to its end.
    unsafe fn run_block(this: *mut Self) -> Result<(), Fault> {
        // SAFETY: the caller's runner. No reference to it is alive while a fiber runs.
        unsafe {
            (*this).started = 0;
            (*this).leaving = (*this).wave_order.len();
            loop {
                let runner = &mut *this;
                let next = if let Some(&fiber) = runner.ready.get(runner.ready_at) {
                    runner.ready_at += 1;
                    fiber
                } else {
                    runner.ready.clear();
                    runner.ready_at = 0;
                    if runner.resolve() || runner.leave_barrier() {
                        continue;
                    } else if runner.started < runner.threads {
                        runner.idle_fiber(this)?
                    } else if runner.waiting > 0 {
                        runner.open_barrier()?;
                        continue;
                    } else {
                        return Ok(());
                    }
                };
                runner.current = next;
                if let Some(checks) = &mut runner.checks {
                    checks.before_resume(next);
                }
                let fiber = runner.fibers.as_mut_ptr().add(next as usize);
                Fiber::resume(fiber);
                let runner = &mut *this;
                runner.current = NONE;
                if let Some(checks) = &mut runner.checks {
                    checks.after_resume();
                }
                match (*fiber).state.get() {
                    State::Idle => runner.finished(next),
                    State::Barrier => runner.at_barrier[(*fiber).thread.get() as usize] = next,
                    State::Wave => {}
                    State::Failed => return Err(runner.failed()),
                }
            }
        }
    }

    /// A coroutine has run all remaining threads.
    fn finished(&mut self, fiber: u32) {
        if self.checks.as_ref().is_some_and(Checks::one_fiber_per_thread) {
            return; // used again by the slot's next block
        }
        self.idle.push(fiber);
        self.started = self.threads;
    }

    fn idle_fiber(&mut self, this: *mut Self) -> Result<u32, Fault> {
        if let Some(fiber) = self.idle.pop() {
            return Ok(fiber);
        }
        let number = self.fibers.len();
        let size = if self.checked { CHECKED_STACK_SIZE } else { STACK_SIZE };
        let stack = FiberStack::new(size, number).map_err(|error| {
            Fault::launch_failure(format!("cannot allocate the stacks of a block: {error}"))
        })?;
        if let Some(checks) = &mut self.checks {
            checks.add_fiber(&stack);
        }
        self.fibers.push(Fiber::new(stack, hooks::run_threads, this.cast_const().cast()));
        Ok(number as u32)
    }

    /// Executes operations of wavefronts all of whose lanes wait or have finished.
    fn resolve(&mut self) -> bool {
        let mut index = 0;
        while index < self.pending.len() {
            let number = self.pending[index] as usize;
            if self.started < self.wave_end[number] {
                index += 1;
                continue;
            }
            let done = self.waves[number].resolve();
            if self.waves[number].waiting == 0 {
                self.pending.swap_remove(index);
            } else {
                index += 1;
            }
            if let Some((lane, source, site)) = done.inactive {
                self.warn_inactive(number, lane, source, site);
            }
            let fibers = &self.waves[number].fiber;
            let from = self.ready.len();
            self.ready.extend(wave::ones(done.lanes).map(|lane| fibers[lane]));
            if let Some(checks) = &mut self.checks {
                checks.wave_goes_on(number);
                if let Some(random) = checks.random() {
                    random.shuffle(&mut self.ready[from..]);
                }
            }
        }
        !self.ready.is_empty()
    }

    /// Lets the next wavefront leave the barrier that has opened.
    fn leave_barrier(&mut self) -> bool {
        while self.leaving < self.wave_order.len() {
            let members = self.members(self.wave_order[self.leaving] as usize);
            self.leaving += 1;
            for fiber in &mut self.at_barrier[members] {
                if *fiber != NONE {
                    self.ready.push(std::mem::replace(fiber, NONE));
                }
            }
            if !self.ready.is_empty() {
                if let Some(random) = self.checks.as_mut().and_then(Checks::random) {
                    random.shuffle(&mut self.ready);
                }
                return true;
            }
        }
        false
    }

    /// All remaining threads wait at a barrier.
    fn open_barrier(&mut self) -> Result<(), Fault> {
        if let Some((thread, site)) = self.elsewhere {
            return Err(Fault::launch_failure(format!(
                "{}: divergent barrier: thread {} waits at {}, thread {} at {site}",
                self.position_text(),
                self.coordinates(self.barrier_thread),
                self.barrier_site,
                self.coordinates(thread),
            )));
        }
        self.barrier_result = u64::from(self.predicates) << 32 | u64::from(self.waiting);
        (self.waiting, self.predicates, self.leaving) = (0, 0, 0);
        if let Some(checks) = &mut self.checks {
            checks.barrier_opens();
            if let Some(random) = checks.random() {
                random.shuffle(&mut self.wave_order);
            }
        }
        Ok(())
    }

    fn failed(&mut self) -> Fault {
        match self.failure.take() {
            Some((thread, what, code)) => Fault::new(
                code,
                format!("{}, thread {}: {what}", self.position_text(), self.coordinates(thread)),
            ),
            None => Fault::launch_failure(self.position_text()),
        }
    }

    /// Kernel and block, for messages.
    fn position_text(&self) -> String {
        let [x, y, z] = self.block;
        // SAFETY: the launch that is being run.
        let name = unsafe { (*self.launch).name() };
        format!("kernel {name}, block ({x},{y},{z})")
    }

    fn coordinates(&self, thread: u32) -> String {
        // SAFETY: the launch that is being run.
        let [x, y, _] = unsafe { (*self.launch).block };
        format!("({},{},{})", thread % x, thread / x % y, thread / x / y)
    }

    /// On a GPU, reading from an inactive lane is undefined.
    #[cold]
    fn warn_inactive(&mut self, wave: usize, lane: u32, source: u32, site: Site) {
        static SAID: AtomicBool = AtomicBool::new(false);
        if !SAID.swap(true, Ordering::Relaxed) {
            eprintln!(
                "candle-rocm-host: {}, wavefront {wave}: lane {lane} reads from lane {source}, which does not take \
                 part in the operation at {site} (it reads 0; reported once)",
                self.position_text(),
            );
        }
    }

    /// After a failure: abandons everything that is still waiting.
    fn abandon(&mut self) {
        self.idle.clear();
        for (index, fiber) in self.fibers.iter_mut().enumerate() {
            if fiber.state.get() != State::Idle {
                // SAFETY: no fiber runs, and hooks keep nothing on their stacks that needs to be dropped.
                unsafe { fiber.reset() };
                if let Some(checks) = &mut self.checks {
                    checks.reset_fiber(index as u32);
                }
            }
            self.idle.push(index as u32);
        }
        self.ready.clear();
        self.ready_at = 0;
        self.pending.clear();
        self.waves.iter_mut().for_each(|wave| wave.waiting = 0);
        self.at_barrier.fill(NONE);
        (self.waiting, self.predicates, self.elsewhere) = (0, 0, None);
    }

    /// The fiber that runs.
    ///
    /// # Safety
    /// A kernel runs in `this`.
    pub(super) unsafe fn current_fiber<'a>(this: *mut Self) -> &'a Fiber {
        // SAFETY: fibers do not move, and this one stays as long as it runs.
        unsafe {
            let fibers: *const Fiber = (*this).fibers.as_ptr();
            &*fibers.add((*this).current as usize)
        }
    }

    /// A thread starts on the current fiber, alone.
    ///
    /// # Safety
    /// A kernel runs in `this`.
    pub(super) unsafe fn begin_thread(this: *mut Self, thread: u32) {
        // SAFETY: the caller's runner, of which nothing is borrowed.
        let runner = unsafe { &mut *this };
        runner.started += 1;
        let coordinates = runner.coordinates(thread);
        // SAFETY: the launch that is being run.
        let launch = unsafe { &*runner.launch };
        if let Some(checks) = &mut runner.checks {
            checks.name_thread(runner.current, launch, &coordinates);
        }
    }

    /// Kernel, block and thread, for messages.
    ///
    /// # Safety
    /// A kernel runs in `this`.
    pub(super) unsafe fn current_position(this: *mut Self) -> String {
        // SAFETY: the caller's runner, of which nothing is borrowed; the copy of the running kernel is loaded.
        unsafe {
            let thread = ((*this).position)() as u32;
            format!("{}, thread {}", (*this).position_text(), (*this).coordinates(thread))
        }
    }

    /// Called after a signal, on the stack of the fiber that caused it.
    ///
    /// # Safety
    /// A kernel runs in `this`, and the caller runs on its fiber.
    pub(crate) unsafe fn fail_by_signal(this: *mut Self, signal: Signal) {
        // SAFETY: the caller's runner, of which nothing is borrowed.
        unsafe {
            let fiber = Self::current_fiber(this);
            let (code, what) = signal.describe(&fiber.guard);
            (*this).failure = Some((((*this).position)() as u32, what, code));
            fiber.suspend(State::Failed);
        }
    }

    /// Where the stack of the running fiber begins.
    ///
    /// # Safety
    /// A kernel runs in `this`.
    pub(crate) unsafe fn stack_base(this: *mut Self) -> usize {
        // SAFETY: the caller's runner.
        unsafe { Self::current_fiber(this).base }
    }
}
