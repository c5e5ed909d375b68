//! Signals that a kernel causes become faults of the device.
//!
//! The handler makes the thread continue at the base of the coroutine's stack, in a function that reports the fault and never
//! returns to the kernel.

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ops::Range;
use std::sync::OnceLock;

use super::runner;
use super::sanitize::Sanitizer;
use crate::runtime::registry;
use rocm_sys::hip::hipError_t;

/// What happened.
#[derive(Clone, Copy)]
pub(crate) struct Signal {
    number: c_int,
    address: usize,
}

impl Signal {
    /// The error code and its description. `guard` is the guard page of the stack on which it happened.
    pub(crate) fn describe(self, guard: &Range<usize>) -> (hipError_t, String) {
        let hint = "; CANDLE_ROCM_HOST_SANITIZE=address may tell where";
        match self.number {
            libc::SIGFPE => {
                (hipError_t::hipErrorLaunchFailure, "integer division by zero or overflow".to_owned())
            }
            libc::SIGILL | libc::SIGTRAP => {
                (hipError_t::hipErrorLaunchFailure, "trap or illegal instruction".to_owned())
            }
            _ if guard.contains(&self.address) => {
                (hipError_t::hipErrorLaunchFailure, "stack overflow: a thread's stack is 64 KiB".to_owned())
            }
            _ => {
                let near =
                    registry::describe(self.address).unwrap_or_else(|| "which is not mapped".to_owned());
                let what = format!("invalid access to address {:#x}, {near}{hint}", self.address);
                (hipError_t::hipErrorIllegalAddress, what)
            }
        }
    }
}

const SIGNALS: [c_int; 5] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP];

/// The previous handlers.
static BEFORE: OnceLock<[libc::sigaction; SIGNALS.len()]> = OnceLock::new();

/// Prepares the calling thread to run kernels.
pub(crate) fn prepare_thread() {
    // With these sanitizers, faults are theirs to report.
    if Sanitizer::active().is_some_and(Sanitizer::has_runtime) || !cfg!(target_arch = "x86_64") {
        return;
    }
    BEFORE.get_or_init(|| {
        SIGNALS.map(|signal| {
            let mut before = MaybeUninit::<libc::sigaction>::zeroed();
            // SAFETY: a plain structure for which zeros are valid; the handler below keeps to what handlers may do.
            unsafe {
                let mut action: libc::sigaction = MaybeUninit::zeroed().assume_init();
                action.sa_sigaction = handler as *const () as usize;
                action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER;
                libc::sigaction(signal, &action, before.as_mut_ptr());
                before.assume_init()
            }
        })
    });
    // A handler needs a stack of its own when the fault is an overflow. Threads of Rust's have one already; it lives
    // as long as the thread.
    // SAFETY: queries, and then sets, this thread's signal stack, which is leaked.
    unsafe {
        let mut stack = MaybeUninit::<libc::stack_t>::zeroed().assume_init();
        libc::sigaltstack(std::ptr::null(), &mut stack);
        if stack.ss_flags & libc::SS_DISABLE != 0 {
            let memory = Box::leak(vec![0u8; 64 << 10].into_boxed_slice());
            stack.ss_sp = memory.as_mut_ptr().cast();
            stack.ss_size = memory.len();
            stack.ss_flags = 0;
            libc::sigaltstack(&stack, std::ptr::null_mut());
        }
    }
}

extern "C" fn handler(number: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let runner = runner::running();
    #[cfg(target_arch = "x86_64")]
    if !runner.is_null() {
        // SAFETY: the kernel gives a handler valid structures; the kernel that caused the signal will not go on, so
        // its stack may be used from its base on.
        unsafe {
            let context = &mut *context.cast::<libc::ucontext_t>();
            let registers = &mut context.uc_mcontext.gregs;
            let base = runner::Runner::stack_base(runner) - 8192;
            registers[libc::REG_RDI as usize] = runner as i64;
            registers[libc::REG_RSI as usize] = i64::from(number);
            registers[libc::REG_RDX as usize] = (*info).si_addr() as i64;
            // As after a call: the return address lies at a multiple of 16, minus 8.
            registers[libc::REG_RSP as usize] = (base & !15) as i64 - 8;
            registers[libc::REG_RIP as usize] = land as *const () as i64;
        }
        return;
    }
    let _ = runner;
    pass_on(number, info, context);
}

unsafe extern "C" fn land(runner: *mut runner::Runner, number: c_int, address: usize) -> ! {
    // SAFETY: the handler passes the runner in which the kernel ran, and put us on its fiber's stack.
    unsafe { runner::Runner::fail_by_signal(runner, Signal { number, address }) };
    // Nobody resumes a fiber that has failed.
    std::process::abort()
}

/// Passes a signal that no kernel caused to the previous handler.
fn pass_on(number: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let index = SIGNALS.iter().position(|&signal| signal == number).unwrap_or(0);
    let Some(before) = BEFORE.get().map(|all| &all[index]) else { return };
    // SAFETY: restores or calls what was there, as the system would have.
    unsafe {
        if before.sa_sigaction == libc::SIG_DFL || before.sa_sigaction == libc::SIG_IGN {
            // The instruction runs again, and now has the effect it would have had.
            libc::sigaction(number, before, std::ptr::null_mut());
        } else if before.sa_flags & libc::SA_SIGINFO != 0 {
            let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) =
                std::mem::transmute(before.sa_sigaction);
            handler(number, info, context);
        } else {
            let handler: extern "C" fn(c_int) = std::mem::transmute(before.sa_sigaction);
            handler(number);
        }
    }
}
