//! Signals.

use std::ffi::{c_int, c_void};
use std::mem::MaybeUninit;
use std::sync::OnceLock;

use crate::system::{Cause, FindLanding};

const SIGNALS: [(c_int, Cause); 5] = [
    (libc::SIGSEGV, Cause::Access),
    (libc::SIGBUS, Cause::Access),
    (libc::SIGFPE, Cause::Arithmetic),
    (libc::SIGILL, Cause::Instruction),
    (libc::SIGTRAP, Cause::Instruction),
];

static LANDING: OnceLock<FindLanding> = OnceLock::new();

/// The previous handlers.
static BEFORE: OnceLock<[libc::sigaction; SIGNALS.len()]> = OnceLock::new();

/// Prepares the calling thread to run kernels that may fail.
pub(crate) fn prepare_thread(landing: FindLanding) {
    LANDING.get_or_init(|| landing);
    BEFORE.get_or_init(|| {
        SIGNALS.map(|(signal, _)| {
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
    let index = SIGNALS.iter().position(|&(signal, _)| signal == number).unwrap_or(0);
    let Some(landing) = LANDING.get().and_then(|landing| landing()) else {
        return pass_on(index, info, context);
    };
    // SAFETY: the kernel gives a handler valid structures, and the kernel that caused the signal does not go on.
    unsafe {
        let context = &mut *context.cast::<libc::ucontext_t>();
        let registers = &mut context.uc_mcontext.gregs;
        registers[libc::REG_RDI as usize] = landing.runner as i64;
        registers[libc::REG_RSI as usize] = SIGNALS[index].1 as i64;
        registers[libc::REG_RDX as usize] = (*info).si_addr() as i64;
        registers[libc::REG_RSP as usize] = landing.stack as i64;
        registers[libc::REG_RIP as usize] = landing.function as i64;
    }
}

/// Passes a signal that no kernel caused to the previous handler.
fn pass_on(index: usize, info: *mut libc::siginfo_t, context: *mut c_void) {
    let (Some(before), number) = (BEFORE.get().map(|all| &all[index]), SIGNALS[index].0) else { return };
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
