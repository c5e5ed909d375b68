//! Running blocks on one thread of this process.
//!
//! The threads of a block run one after another on one coroutine until one of them has to wait, for the block or for
//! its wavefront. Then another coroutine takes over with the next thread. So a kernel that never waits costs no more
//! than the call of a function per thread.
//!
//! What the kernel calls while it runs (the hooks, below) and the scheduler refer to the same [`Runner`] from
//! different stacks, so it is only ever used through a raw pointer.

use std::cell::Cell;
use std::ffi::{CStr, c_char, c_void};
use std::ops::Range;
use std::ptr;
use std::sync::atomic::{AtomicU64, Ordering};

use super::abi;
use super::fiber::{Fiber, Site, State};
use super::launch::Launch;
use super::loading::Copy;
use super::sanitize::{Random, Sanitizer, Switch};
use super::signal::{self, Signal};
use super::stack::FiberStack;
use super::wave::{self, Wave};
use crate::runtime::fault::Fault;
use rocm_sys::hip::hipError_t;

/// The most threads a block may have.
pub(crate) const MAX_THREADS: u32 = 1024;

const NONE: u32 = u32::MAX;

/// What a thread of this process needs to run blocks. It is made once and used for one launch after another.
pub(crate) struct Runner {
    /// Never more than its capacity: fibers must not move.
    fibers: Vec<Fiber>,
    idle: Vec<u32>,
    /// The fiber that runs.
    current: u32,

    // The launch.
    run: unsafe extern "C" fn(*const *const c_void),
    arguments: *const *const c_void,
    threads: u32,
    wave_shift: u32,
    position: unsafe extern "C" fn() -> u64,
    launch: *const Launch,
    block: [u32; 3],

    // The block.
    /// How many threads have begun.
    started: u32,
    /// Fibers that can go on, and how many of them have.
    ready: Vec<u32>,
    ready_at: usize,
    waves: Vec<Wave>,
    /// Wavefronts of which lanes wait at an operation.
    pending: Vec<u32>,
    /// The fiber of each thread that waits at a barrier or may leave it.
    at_barrier: Vec<u32>,
    waiting: u32,
    predicates: u32,
    barrier_site: Site,
    barrier_thread: u32,
    /// A thread that waits at another barrier than the others.
    elsewhere: Option<(u32, Site)>,
    barrier_result: u64,
    /// The next wavefront that may leave the barrier; all have when this is their number.
    leaving: usize,
    failure: Option<(u32, String, hipError_t)>,

    // Checked variants.
    sanitizer: Option<Sanitizer>,
    random: Random,
    /// The order in which threads begin, and how many have begun when a wavefront is complete.
    order: Vec<u32>,
    wave_order: Vec<u32>,
    wave_end: Vec<u32>,
    switch: Switch,
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

/// Runs the blocks that `claim` gives, on this thread.
pub(crate) fn run(launch: &Launch, claim: impl Fn() -> Option<Range<u64>>) -> Result<(), Fault> {
    let Some(mut blocks) = claim() else { return Ok(()) };
    let fault = |why: String| Fault::launch_failure(format!("kernel {}: {why}", launch.name()));
    let copy = launch.module.take_copy().map_err(fault)?;
    let runner = runner();
    // SAFETY: the runner is this thread's, and no other call uses it: kernels cannot launch kernels.
    let result = unsafe {
        Runner::enter(runner, launch, &copy);
        loop {
            if let Err(fault) = Runner::run_blocks(runner, launch, &copy, blocks) {
                break Err(fault);
            }
            match claim() {
                Some(next) => blocks = next,
                None => break Ok(()),
            }
        }
    };
    launch.module.give_back(copy);
    result
}

fn runner() -> *mut Runner {
    let runner = RUNNER.get();
    if !runner.is_null() {
        return runner;
    }
    let runner = Box::into_raw(Box::new(Runner::new()));
    RUNNER.set(runner);
    OWNER.with(|_| ());
    signal::prepare_thread();
    runner
}

/// The runner of this thread if a kernel runs in it. For signal handlers.
pub(crate) fn running() -> *mut Runner {
    let runner = RUNNER.get();
    // SAFETY: this thread's runner, which is read only here.
    if !runner.is_null() && unsafe { (*runner).current } != NONE { runner } else { ptr::null_mut() }
}

unsafe extern "C" fn no_kernel(_: *const *const c_void) {}

unsafe extern "C" fn no_position() -> u64 {
    0
}

impl Runner {
    fn new() -> Self {
        let sanitizer = Sanitizer::active();
        Self {
            fibers: Vec::with_capacity(MAX_THREADS as usize),
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
            sanitizer,
            random: Random::from_env(),
            order: Vec::new(),
            wave_order: Vec::new(),
            wave_end: Vec::new(),
            switch: Switch::new(sanitizer),
        }
    }

    /// Prepares for the blocks of a launch.
    unsafe fn enter(this: *mut Self, launch: &Launch, copy: &Copy) {
        let table = copy.table();
        // SAFETY: the caller's runner; no fiber runs.
        let runner = unsafe { &mut *this };
        runner.run = copy.kernels()[launch.kernel].run;
        runner.arguments = launch.arguments.as_ptr();
        runner.threads = launch.block.iter().product();
        runner.position = table.position;
        runner.wave_shift = table.wave.trailing_zeros();
        runner.launch = launch;
        let waves = (runner.threads as usize).div_ceil(table.wave as usize);
        while runner.waves.len() < waves {
            runner.waves.push(Wave::new());
        }
        runner.wave_order.clear();
        runner.wave_order.extend(0..waves as u32);
        runner.arrange();
        let shared = super::abi::Launch {
            hooks: &HOOKS,
            block: this.cast(),
            order: if runner.sanitizer == Some(Sanitizer::Schedule) {
                runner.order.as_ptr()
            } else {
                ptr::null()
            },
            grid_size: launch.grid,
            block_size: launch.block,
        };
        // SAFETY: the copy belongs to this thread.
        unsafe { (table.enter)(&shared) };
    }

    fn wave_size(&self) -> u32 {
        1 << self.wave_shift
    }

    /// The threads of a wavefront.
    fn members(&self, wave: usize) -> Range<usize> {
        let start = wave << self.wave_shift;
        start..(start + self.wave_size() as usize).min(self.threads as usize)
    }

    /// The order in which threads begin: any, with checked schedules, but a wavefront at a time.
    fn arrange(&mut self) {
        let waves = self.wave_order.len();
        self.wave_end.resize(waves, 0);
        if self.sanitizer == Some(Sanitizer::Schedule) {
            self.random.shuffle(&mut self.wave_order);
            self.order.clear();
            self.order.reserve(MAX_THREADS as usize);
        }
        let mut end = 0;
        for index in 0..waves {
            let wave = self.wave_order[index] as usize;
            let members = self.members(wave);
            if self.sanitizer == Some(Sanitizer::Schedule) {
                let start = self.order.len();
                self.order.extend(members.clone().map(|thread| thread as u32));
                self.random.shuffle(&mut self.order[start..]);
            }
            end += members.len() as u32;
            self.wave_end[wave] = end;
        }
    }

    unsafe fn run_blocks(
        this: *mut Self,
        launch: &Launch,
        copy: &Copy,
        blocks: Range<u64>,
    ) -> Result<(), Fault> {
        let [x, y, _] = launch.grid.map(u64::from);
        let table = copy.table();
        for index in blocks {
            let block = [(index % x) as u32, (index / x % y) as u32, (index / x / y) as u32];
            // SAFETY: the caller's runner and copy; no fiber runs.
            unsafe {
                (*this).block = block;
                if (*this).sanitizer.is_some() {
                    (*this).arrange();
                    (*this).switch.begin_block(copy, launch, &mut (*this).random);
                }
                (table.block)(block[0], block[1], block[2]);
                let result = Self::run_block(this);
                if (*this).sanitizer.is_some() {
                    (*this).switch.end_block(copy);
                }
                result.inspect_err(|_| (*this).abandon())?;
            }
        }
        Ok(())
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
                let fiber = runner.fibers.as_mut_ptr().add(next as usize);
                if runner.sanitizer.is_some() {
                    runner.switch.to_fiber(&*fiber);
                }
                Fiber::resume(fiber);
                let runner = &mut *this;
                if runner.sanitizer.is_some() {
                    runner.switch.from_fiber();
                }
                runner.current = NONE;
                match (*fiber).state.get() {
                    State::Idle => {
                        runner.idle.push(next);
                        runner.started = runner.threads;
                    }
                    State::Barrier => runner.at_barrier[(*fiber).thread.get() as usize] = next,
                    State::Wave => {}
                    State::Failed => return Err(runner.failed()),
                }
            }
        }
    }

    fn idle_fiber(&mut self, this: *mut Self) -> Result<u32, Fault> {
        if let Some(fiber) = self.idle.pop() {
            return Ok(fiber);
        }
        let number = self.fibers.len();
        let size = if self.sanitizer.is_some() { 512 << 10 } else { 64 << 10 };
        let stack = FiberStack::new(size, number).map_err(|error| {
            Fault::launch_failure(format!("no memory for the stacks of a block: {error}"))
        })?;
        self.fibers.push(Fiber::new(stack, run_threads, this.cast_const().cast()));
        Ok(number as u32)
    }

    /// Carries out operations of wavefronts all of whose lanes have got somewhere.
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
            if self.sanitizer == Some(Sanitizer::Schedule) {
                self.random.shuffle(&mut self.ready[from..]);
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
                if self.sanitizer == Some(Sanitizer::Schedule) {
                    self.random.shuffle(&mut self.ready);
                }
                return true;
            }
        }
        false
    }

    /// All threads that are left wait at a barrier.
    fn open_barrier(&mut self) -> Result<(), Fault> {
        if let Some((thread, site)) = self.elsewhere {
            return Err(Fault::launch_failure(format!(
                "{}: divergent barrier: thread {} waits at {}, thread {} at {site}",
                self.place(),
                self.coordinates(self.barrier_thread),
                self.barrier_site,
                self.coordinates(thread),
            )));
        }
        self.barrier_result = u64::from(self.predicates) << 32 | u64::from(self.waiting);
        (self.waiting, self.predicates, self.leaving) = (0, 0, 0);
        if self.sanitizer == Some(Sanitizer::Schedule) {
            self.random.shuffle(&mut self.wave_order);
        }
        self.switch.next_barrier();
        Ok(())
    }

    fn failed(&mut self) -> Fault {
        match self.failure.take() {
            Some((thread, what, code)) => {
                Fault::new(code, format!("{}, thread {}: {what}", self.place(), self.coordinates(thread)))
            }
            None => Fault::launch_failure(self.place()),
        }
    }

    /// Kernel and block, for messages.
    fn place(&self) -> String {
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

    /// On a GPU, what a lane reads from one that does not take part is undefined.
    #[cold]
    fn warn_inactive(&mut self, wave: usize, lane: u32, source: u32, site: Site) {
        if INACTIVE_READS.fetch_add(1, Ordering::Relaxed) == 0 {
            eprintln!(
                "candle-rocm-host: {}, wavefront {wave}: lane {lane} reads from lane {source}, which does not take part \
                 in the operation at {site} (it gets 0; said once)",
                self.place(),
            );
        }
    }

    /// After a failure: forgets everything that is still waiting.
    fn abandon(&mut self) {
        for (index, fiber) in self.fibers.iter_mut().enumerate() {
            if fiber.state.get() != State::Idle {
                // SAFETY: no fiber runs, and hooks keep nothing on their stacks that needs to be dropped.
                unsafe { fiber.reset() };
                self.idle.push(index as u32);
            }
        }
        self.ready.clear();
        self.ready_at = 0;
        self.pending.clear();
        self.waves.iter_mut().for_each(|wave| wave.waiting = 0);
        self.at_barrier.fill(NONE);
        (self.waiting, self.predicates, self.elsewhere) = (0, 0, None);
    }

    /// Called instead of what caused a signal, on the stack of the fiber that did.
    pub(crate) unsafe fn fail_by_signal(this: *mut Self, signal: Signal) {
        // SAFETY: this thread's runner, in which a kernel ran.
        unsafe {
            let fiber = (*this).fibers.as_ptr().add((*this).current as usize);
            let (code, what) = signal.describe(&(*fiber).guard);
            let thread = ((*this).position)() as u32;
            (*this).failure = Some((thread, what, code));
            (*fiber).suspend(State::Failed);
        }
    }

    /// Where the stack of the running fiber begins.
    pub(crate) unsafe fn stack_base(this: *mut Self) -> usize {
        // SAFETY: this thread's runner, in which a kernel runs.
        unsafe { (*(*this).fibers.as_ptr().add((*this).current as usize)).base }
    }
}

/// How often lanes have read from lanes that did not take part.
pub(crate) static INACTIVE_READS: AtomicU64 = AtomicU64::new(0);

/// The body of all fibers: runs threads until none is left that has not begun.
unsafe fn run_threads(runner: *const ()) {
    let runner = runner.cast::<Runner>();
    // SAFETY: the runner that resumed this fiber, during a launch.
    unsafe { ((*runner).run)((*runner).arguments) };
}

/// The runner and the fiber that call a hook, the fiber now knowing its thread.
unsafe fn caller<'a>(block: *mut c_void, position: u64) -> (*mut Runner, &'a Fiber, u32) {
    let runner = block.cast::<Runner>();
    let thread = position as u32;
    // SAFETY: hooks are called with the runner that runs the kernel, on its current fiber.
    unsafe {
        (*runner).started = (position >> 32) as u32;
        let fiber = &*(*runner).fibers.as_ptr().add((*runner).current as usize);
        fiber.thread.set(thread);
        (runner, fiber, thread)
    }
}

static HOOKS: abi::Hooks = abi::Hooks { barrier, wave: wavefront, fail, begin, fence };

unsafe extern "C" fn barrier(
    block: *mut c_void,
    position: u64,
    predicate: u32,
    line: u32,
    file: *const c_char,
) -> u64 {
    // SAFETY: called by a kernel that `block` runs; only fields are used, nothing is borrowed while suspended.
    unsafe {
        let (runner, fiber, thread) = caller(block, position);
        let site = Site { line, file };
        if (*runner).waiting == 0 {
            (*runner).barrier_site = site;
            (*runner).barrier_thread = thread;
        } else if !(*runner).barrier_site.is(site) {
            (*runner).elsewhere.get_or_insert((thread, site));
        }
        (*runner).waiting += 1;
        (*runner).predicates += predicate;
        if (*runner).sanitizer.is_some() {
            (*runner).switch.arrive(thread);
            fiber.suspend(State::Barrier);
            (*runner).switch.resumed(thread);
            (*runner).switch.depart(thread);
        } else {
            fiber.suspend(State::Barrier);
        }
        (*runner).barrier_result
    }
}

unsafe extern "C" fn wavefront(
    block: *mut c_void,
    position: u64,
    operation: u32,
    value: u64,
    source: u32,
    line: u32,
    file: *const c_char,
) -> u64 {
    // SAFETY: as above.
    unsafe {
        let (runner, fiber, thread) = caller(block, position);
        let number = thread >> (*runner).wave_shift;
        let lane = (thread & ((1 << (*runner).wave_shift) - 1)) as usize;
        let waves = (*runner).waves.as_mut_ptr();
        let wave = waves.add(number as usize);
        if (*wave).waiting == 0 {
            (*runner).pending.push(number);
        }
        let current = (*runner).current;
        (*wave).arrive(lane, current, operation, value, source, Site { line, file });
        if (*runner).sanitizer.is_some() {
            (*runner).switch.arrive_wave(number);
            fiber.suspend(State::Wave);
            (*runner).switch.resumed(thread);
            (*runner).switch.depart_wave(number);
        } else {
            fiber.suspend(State::Wave);
        }
        (*wave).result[lane]
    }
}

unsafe extern "C" fn fail(
    block: *mut c_void,
    position: u64,
    what: *const c_char,
    line: u32,
    file: *const c_char,
) {
    // SAFETY: as above; `what` is a string of the module.
    unsafe {
        let (runner, fiber, thread) = caller(block, position);
        let what = CStr::from_ptr(what).to_string_lossy();
        (*runner).failure =
            Some((thread, format!("{}: {what}", Site { line, file }), hipError_t::hipErrorLaunchFailure));
        fiber.suspend(State::Failed);
    }
}

unsafe extern "C" fn begin(block: *mut c_void, thread: u32) {
    let runner = block.cast::<Runner>();
    // SAFETY: as above.
    unsafe { (*runner).switch.begin_thread(thread) };
}

unsafe extern "C" fn fence() {
    super::sanitize::fence();
}
