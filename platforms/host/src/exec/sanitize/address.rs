//! AddressSanitizer has to know which stack a thread of this process is on.

use std::ffi::{c_char, c_void};
use std::ptr;
use std::sync::Once;

use corosensei::stack::Stack;

use crate::exec::launch::Launch;
use crate::exec::loading::Copy;
use crate::exec::runner;
use crate::exec::stack::FiberStack;
use crate::runtime::sanitizer::{poison, unpoison};
use crate::sanitizer::functions;
use crate::system;

functions! {
    Functions {
        start_switch: c"__sanitizer_start_switch_fiber" fn(*mut *mut c_void, *const c_void, usize),
        finish_switch: c"__sanitizer_finish_switch_fiber" fn(*mut c_void, *mut *const c_void, *mut usize),
        on_error: c"__asan_set_error_report_callback" fn(unsafe extern "C" fn(*const c_char)),
    }
}

/// A stack and what the sanitizer remembers about it while another one is used.
struct StackRecord {
    bottom: *const c_void,
    size: usize,
    remembered: *mut c_void,
}

impl StackRecord {
    const NONE: Self = Self { bottom: ptr::null(), size: 0, remembered: ptr::null_mut() };
}

pub(crate) struct Address {
    functions: Functions,
    /// The stack of the thread of this process.
    own: StackRecord,
    fibers: Vec<StackRecord>,
}

pub(super) fn is_loaded() -> bool {
    system::symbol(c"__asan_init").is_some()
}

/// Names the kernel after the sanitizer's own report.
unsafe extern "C" fn name_the_kernel(_report: *const c_char) {
    let runner = runner::running();
    if !runner.is_null() {
        // SAFETY: this thread's runner, in which a kernel runs that will not go on.
        let position = unsafe { runner::Runner::current_position(runner) };
        eprintln!("candle-rocm-host: this was {position}");
    }
}

/// The bytes behind shared memory.
fn outside(launch: &Launch, copy: &Copy) -> impl Iterator<Item = (usize, usize)> {
    let (table, base) = (copy.table(), copy.base());
    let used = launch.shared_bytes;
    let dynamic =
        (table.dynamic_shared as usize + used as usize, (table.dynamic_shared_size - used) as usize);
    let guards = launch.module.variables.guards.iter().map(move |guard| (base + guard.start, guard.len()));
    guards.chain([dynamic])
}

impl Address {
    pub(super) fn new() -> Option<Self> {
        let functions = Functions::find()?;
        static ONCE: Once = Once::new();
        // SAFETY: the callback is a function of this library, which stays.
        ONCE.call_once(|| unsafe { (functions.on_error)(name_the_kernel) });
        Some(Self { functions, own: StackRecord::NONE, fibers: Vec::new() })
    }

    /// Shared memory ends where the kernel and the launch said.
    pub(super) fn begin_launch(&self, launch: &Launch, copy: &Copy) {
        for (address, size) in outside(launch, copy) {
            poison(address, size);
        }
    }

    pub(super) fn end_launch(&self, launch: &Launch, copy: &Copy) {
        for (address, size) in outside(launch, copy) {
            unpoison(address, size);
        }
    }

    pub(super) fn add_fiber(&mut self, stack: &FiberStack) {
        let bottom = stack.guard().end;
        self.fibers.push(StackRecord {
            bottom: bottom as *const c_void,
            size: stack.base().get() - bottom,
            remembered: ptr::null_mut(),
        });
    }

    pub(super) fn reset_fiber(&mut self, fiber: u32) {
        let stack = &mut self.fibers[fiber as usize];
        stack.remembered = ptr::null_mut();
        unpoison(stack.bottom as usize, stack.size);
    }

    pub(super) fn before_resume(&mut self, fiber: u32) {
        let to = &self.fibers[fiber as usize];
        // SAFETY: the bounds are those of the stack that is used next.
        unsafe { (self.functions.start_switch)(&mut self.own.remembered, to.bottom, to.size) };
    }

    pub(super) fn after_resume(&mut self) {
        // SAFETY: what was remembered when this stack was left.
        unsafe { (self.functions.finish_switch)(self.own.remembered, ptr::null_mut(), ptr::null_mut()) };
    }

    pub(super) fn before_suspend(&mut self, fiber: u32) {
        let from = &mut self.fibers[fiber as usize];
        // SAFETY: the bounds are those of the stack from which this one was resumed.
        unsafe { (self.functions.start_switch)(&mut from.remembered, self.own.bottom, self.own.size) };
    }

    pub(super) fn after_suspend(&mut self, fiber: u32) {
        let remembered = std::mem::replace(&mut self.fibers[fiber as usize].remembered, ptr::null_mut());
        // SAFETY: what was remembered when this stack was left; the out-parameters are ours.
        unsafe { (self.functions.finish_switch)(remembered, &mut self.own.bottom, &mut self.own.size) };
    }
}
