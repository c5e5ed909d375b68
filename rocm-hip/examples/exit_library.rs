//! A library that traces, and has a thread that never ends what it is at: for the tests of a process's end on Windows (tests/exit.rs).

use std::ffi::{CStr, c_char};
use std::thread;

/// Leaves `spans` events in a trace that are not written yet.
///
/// # Safety
/// `path` is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn trace_and_stay(path: *const c_char, spans: usize) {
    // SAFETY: the caller's promise.
    let path = unsafe { CStr::from_ptr(path) }.to_string_lossy().into_owned();
    rocm_hip::trace::start(path).expect("the folder is there");
    (0..spans).for_each(|round| drop(rocm_hip::trace::span("span", || round.to_string())));
    let staying = rocm_hip::stay();
    thread::spawn(move || {
        thread::park();
        drop(staying);
    });
}
