//! Exceptions.

use std::ffi::c_void;
use std::sync::OnceLock;

use crate::system::{Cause, FindLanding};

/// `EXCEPTION_RECORD`.
#[repr(C)]
struct Record {
    code: u32,
    flags: u32,
    outer: *mut Record,
    instruction: *mut c_void,
    count: u32,
    /// Of an access: whether it writes, and the address.
    information: [usize; 15],
}

/// `CONTEXT` up to the registers that are set here.
#[repr(C)]
struct Context {
    before: [u64; 15],
    rax: u64,
    rcx: u64,
    rdx: u64,
    rbx: u64,
    rsp: u64,
    rbp: u64,
    rsi: u64,
    rdi: u64,
    others: [u64; 8],
    rip: u64,
}

const _: () =
    assert!(std::mem::offset_of!(Context, rax) == 0x78 && std::mem::offset_of!(Context, rip) == 0xf8);

/// `EXCEPTION_POINTERS`.
#[repr(C)]
struct Exception {
    record: *const Record,
    context: *mut Context,
}

static LANDING: OnceLock<FindLanding> = OnceLock::new();

type Handler = unsafe extern "system" fn(*const Exception) -> i32;

#[link(name = "kernel32")]
unsafe extern "system" {
    fn AddVectoredExceptionHandler(first: u32, handler: Handler) -> *mut c_void;
}

/// Prepares the calling thread to run kernels that may fail.
pub(crate) fn prepare_thread(landing: FindLanding) {
    LANDING.get_or_init(|| {
        // SAFETY: the handler stays, and leaves alone what no kernel caused. If it is not added, failing kernels end the process.
        unsafe { AddVectoredExceptionHandler(1, handler) };
        landing
    });
}

fn cause(code: u32) -> Option<Cause> {
    Some(match code {
        // Access violations, errors of paging, and misaligned accesses.
        0xc000_0005 | 0xc000_0006 | 0x8000_0002 => Cause::Access,
        // Division by zero, and overflow.
        0xc000_0094 | 0xc000_0095 => Cause::Arithmetic,
        // Illegal and privileged instructions, and breakpoints.
        0xc000_001d | 0xc000_0096 | 0x8000_0003 => Cause::Instruction,
        _ => return None,
    })
}

unsafe extern "system" fn handler(exception: *const Exception) -> i32 {
    const CONTINUE_EXECUTION: i32 = -1;
    const CONTINUE_SEARCH: i32 = 0;
    // SAFETY: Windows gives a handler valid structures.
    let (record, context) = unsafe { (&*(*exception).record, &mut *(*exception).context) };
    let Some((cause, landing)) = cause(record.code).zip(LANDING.get().and_then(|landing| landing())) else {
        return CONTINUE_SEARCH;
    };
    // The kernel that caused the exception does not go on. Its registers become those of a call with Linux's calling convention.
    context.rdi = landing.runner as u64;
    context.rsi = cause as u64;
    context.rdx = if record.count >= 2 { record.information[1] as u64 } else { 0 };
    context.rsp = landing.stack as u64;
    context.rip = landing.function as u64;
    CONTINUE_EXECUTION
}
