//! What kernels call while they run, on the stacks of their coroutines.
//!
//! The runner that resumed the coroutine is used through a raw pointer, field by field: nothing of it is borrowed
//! while the coroutine is suspended.

use std::ffi::{CStr, c_char, c_void};

use super::abi;
use super::fiber::{Fiber, Site, State};
use super::runner::Runner;
use super::sanitize;
use rocm_sys::hip::hipError_t;

pub(super) static HOOKS: abi::Hooks = abi::Hooks { barrier, wave, fail, begin, fence };

/// The runner and the fiber that call a hook, after setting the fiber's thread.
unsafe fn caller<'a>(block: *mut c_void, position: u64) -> (*mut Runner, &'a Fiber, u32) {
    let runner = block.cast::<Runner>();
    let thread = position as u32;
    // SAFETY: hooks are called with the runner that runs the kernel, on its current fiber.
    unsafe {
        (*runner).started = (position >> 32) as u32;
        let fiber = Runner::current_fiber(runner);
        fiber.thread.set(thread);
        (runner, fiber, thread)
    }
}

/// Yields to the scheduler, and informs the checker.
#[cold]
unsafe fn suspend_checked(runner: *mut Runner, fiber: &Fiber, state: State) {
    // SAFETY: the caller runs on this fiber of this runner.
    unsafe {
        let number = (*runner).current;
        if let Some(checks) = (*runner).checks.as_mut() {
            checks.before_suspend(number);
        }
        fiber.suspend(state);
        if let Some(checks) = (*runner).checks.as_mut() {
            checks.after_suspend(number);
        }
    }
}

unsafe extern "sysv64" fn barrier(
    block: *mut c_void,
    position: u64,
    predicate: u32,
    line: u32,
    file: *const c_char,
) -> u64 {
    // SAFETY: called by a kernel that `block` runs.
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
        if (*runner).checked {
            let ticket = (*runner).checks.as_mut().map(|checks| checks.arrive_at_barrier());
            suspend_checked(runner, fiber, State::Barrier);
            if let (Some(checks), Some(ticket)) = ((*runner).checks.as_mut(), ticket) {
                checks.depart(ticket);
            }
        } else {
            fiber.suspend(State::Barrier);
        }
        (*runner).barrier_result
    }
}

unsafe extern "sysv64" fn wave(
    block: *mut c_void,
    position: u64,
    operation: u32,
    value: u64,
    source: u32,
    line: u32,
    file: *const c_char,
) -> u64 {
    // SAFETY: called by a kernel that `block` runs.
    unsafe {
        let (runner, fiber, thread) = caller(block, position);
        let shift = (*runner).wave_shift;
        let (number, lane) = (thread >> shift, (thread & ((1 << shift) - 1)) as usize);
        let waves: *mut super::wave::Wave = (*runner).waves.as_mut_ptr();
        let wave = waves.add(number as usize);
        if (*wave).waiting == 0 {
            (*runner).pending.push(number);
        }
        (*wave).arrive(lane, (*runner).current, operation, value, source, Site { line, file });
        if (*runner).checked {
            let ticket = (*runner).checks.as_mut().map(|checks| checks.arrive_at_wave(number as usize));
            suspend_checked(runner, fiber, State::Wave);
            if let (Some(checks), Some(ticket)) = ((*runner).checks.as_mut(), ticket) {
                checks.depart(ticket);
            }
        } else {
            fiber.suspend(State::Wave);
        }
        (*wave).result[lane]
    }
}

unsafe extern "sysv64" fn fail(
    block: *mut c_void,
    position: u64,
    what: *const c_char,
    line: u32,
    file: *const c_char,
) {
    // SAFETY: called by a kernel that `block` runs; `what` is a string of its module.
    unsafe {
        let (runner, fiber, thread) = caller(block, position);
        let what = format!("{}: {}", Site { line, file }, CStr::from_ptr(what).to_string_lossy());
        (*runner).failure = Some((thread, what, hipError_t::hipErrorLaunchFailure));
        suspend_checked(runner, fiber, State::Failed);
    }
}

unsafe extern "sysv64" fn begin(block: *mut c_void, thread: u32) {
    let runner = block.cast::<Runner>();
    // SAFETY: called by a kernel that `block` runs.
    unsafe { Runner::begin_thread(runner, thread) };
}

unsafe extern "sysv64" fn fence() {
    sanitize::fence();
}

/// The body of all coroutines: runs threads that have not started.
pub(super) unsafe fn run_threads(runner: *const ()) {
    let runner = runner.cast::<Runner>().cast_mut();
    // SAFETY: the runner that resumed this fiber, during a launch.
    unsafe {
        if !(*runner).checked {
            return ((*runner).run)((*runner).arguments);
        }
        let number = (*runner).current;
        if let Some(checks) = (*runner).checks.as_mut() {
            checks.after_suspend(number);
            checks.begin_threads();
        }
        ((*runner).run)((*runner).arguments);
        if let Some(checks) = (*runner).checks.as_mut() {
            checks.end_threads();
            checks.before_suspend(number);
        }
    }
}
