//! What a kernel does wrong becomes a fault of the device.
//!
//! The system tells a handler, which makes the thread go on at the base of the coroutine's stack, in a function that reports the fault and
//! never returns to the kernel.

use std::ops::Range;

use super::runner::{self, Runner};
use super::sanitize::Sanitizer;
use crate::runtime::registry;
use crate::system::{Cause, Landing, faults};
use rocm_sys::hip::hipError_t;

/// What happened.
#[derive(Clone, Copy)]
pub(crate) struct Signal {
    cause: Cause,
    address: usize,
}

impl Signal {
    /// The error code and its description. `guard` is the guard page of the stack on which it happened.
    pub(crate) fn describe(self, guard: &Range<usize>) -> (hipError_t, String) {
        let hint = "; CANDLE_ROCM_HOST_SANITIZE=address may tell where";
        match self.cause {
            Cause::Arithmetic => {
                (hipError_t::hipErrorLaunchFailure, "integer division by zero or overflow".to_owned())
            }
            Cause::Instruction => {
                (hipError_t::hipErrorLaunchFailure, "trap or illegal instruction".to_owned())
            }
            Cause::Access if guard.contains(&self.address) => {
                (hipError_t::hipErrorLaunchFailure, "stack overflow: a thread's stack is 64 KiB".to_owned())
            }
            Cause::Access => {
                let near =
                    registry::describe(self.address).unwrap_or_else(|| "which is not mapped".to_owned());
                let what = format!("invalid access to address {:#x}, {near}{hint}", self.address);
                (hipError_t::hipErrorIllegalAddress, what)
            }
        }
    }
}

/// Prepares the calling thread to run kernels.
pub(crate) fn prepare_thread() {
    // With these sanitizers, faults are theirs to report.
    if !Sanitizer::active().is_some_and(Sanitizer::has_runtime) {
        faults::prepare_thread(landing);
    }
}

/// For handlers.
fn landing() -> Option<Landing> {
    let runner = runner::running();
    if runner.is_null() {
        return None;
    }
    // SAFETY: a kernel runs in it, which will not go on: its stack may be used from its base on.
    let base = unsafe { Runner::stack_base(runner) } - 8192;
    // As after a call: the return address lies at a multiple of 16, minus 8.
    let stack = (base & !15) - 8;
    Some(Landing { function: land as *const () as usize, runner: runner as usize, stack })
}

unsafe extern "sysv64" fn land(runner: *mut Runner, cause: Cause, address: usize) -> ! {
    // SAFETY: the handler passes the runner in which the kernel ran, and put us on its fiber's stack.
    unsafe { Runner::fail_by_signal(runner, Signal { cause, address }) };
    // Nobody resumes a fiber that has failed.
    std::process::abort()
}
