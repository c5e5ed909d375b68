//! Coroutines that run GPU threads.

use std::cell::Cell;
use std::ffi::c_char;
use std::ops::Range;
use std::ptr;

use corosensei::stack::Stack;
use corosensei::{Coroutine, Yielder};

use super::stack::FiberStack;

/// What a coroutine runs, called anew each time.
pub(crate) type Body = unsafe fn(*const ());

/// Why a coroutine yielded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// Its body has returned.
    Idle,
    /// Its thread waits for the block.
    Barrier,
    /// Its thread waits for the wavefront.
    Wave,
    /// Its thread cannot continue.
    Failed,
}

/// Where in the source a thread waits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Site {
    /// The line, and in the upper 12 bits the column (with clang).
    pub(crate) line: u32,
    pub(crate) file: *const c_char,
}

impl Site {
    pub(crate) const NOWHERE: Self = Self { line: 0, file: ptr::null() };

    /// The line, then the column.
    pub(crate) fn order(self) -> (u32, u32) {
        (self.line & 0xf_ffff, self.line >> 20)
    }

    /// Whether this is the same position.
    pub(crate) fn is(self, other: Self) -> bool {
        self.line == other.line && (ptr::eq(self.file, other.file) || self.file_name() == other.file_name())
    }

    pub(crate) fn file_name(self) -> &'static std::ffi::CStr {
        if self.file.is_null() {
            return c"?";
        }
        // SAFETY: a string literal of a module, which is loaded while its kernel runs.
        unsafe { std::ffi::CStr::from_ptr(self.file) }
    }
}

impl std::fmt::Display for Site {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file_name().to_string_lossy(), self.line & 0xf_ffff)
    }
}

/// A coroutine. It must not move once it runs: its own stack refers to it.
pub(crate) struct Fiber {
    coroutine: Option<Coroutine<*const Fiber, (), (), FiberStack>>,
    yielder: Cell<*const Yielder<*const Fiber, ()>>,
    body: Body,
    argument: *const (),
    /// Why it yielded.
    pub(crate) state: Cell<State>,
    /// The GPU thread that waits in it.
    pub(crate) thread: Cell<u32>,
    /// Where its stack begins, and the guard page where it ends.
    pub(crate) base: usize,
    pub(crate) guard: Range<usize>,
}

impl Fiber {
    /// A coroutine that calls `body(argument)` whenever it is resumed while idle.
    pub(crate) fn new(stack: FiberStack, body: Body, argument: *const ()) -> Self {
        let base = stack.base().get();
        let guard = stack.guard();
        Self {
            coroutine: Some(Self::coroutine(stack)),
            yielder: Cell::new(ptr::null()),
            body,
            argument,
            state: Cell::new(State::Idle),
            thread: Cell::new(0),
            base,
            guard,
        }
    }

    fn coroutine(stack: FiberStack) -> Coroutine<*const Fiber, (), (), FiberStack> {
        Coroutine::with_stack(stack, |yielder, fiber: *const Self| {
            // SAFETY: `resume` passes the fiber whose coroutine this is; it stays where it is.
            let fiber = unsafe { &*fiber };
            fiber.yielder.set(yielder);
            loop {
                // SAFETY: who made the fiber vouches for the body and its argument.
                unsafe { (fiber.body)(fiber.argument) };
                fiber.state.set(State::Idle);
                yielder.suspend(());
            }
        })
    }

    /// Runs it until it yields; `state` then says why.
    ///
    /// # Safety
    /// `fiber` points to a fiber that is not running and does not move, and nothing holds a reference to its
    /// coroutine.
    pub(crate) unsafe fn resume(fiber: *mut Self) {
        // SAFETY: only `resume` and `reset` refer to the coroutine, and neither runs on its stack.
        if let Some(coroutine) = unsafe { &mut (*fiber).coroutine } {
            coroutine.resume(fiber);
        }
    }

    /// Yields to the code that resumed this fiber.
    ///
    /// # Safety
    /// The caller runs on this fiber.
    #[inline]
    pub(crate) unsafe fn suspend(&self, state: State) {
        self.state.set(state);
        // SAFETY: set when the coroutine began to run, and on its stack since.
        unsafe { (*self.yielder.get()).suspend(()) };
    }

    /// Abandons what it was running.
    ///
    /// # Safety
    /// It is not running, and nothing on its stack needs to be dropped.
    pub(crate) unsafe fn reset(&mut self) {
        if let Some(mut coroutine) = self.coroutine.take() {
            // SAFETY: the caller vouches for what is on the stack.
            unsafe { coroutine.force_reset() };
            self.coroutine = Some(Self::coroutine(coroutine.into_stack()));
        }
        self.state.set(State::Idle);
    }
}

impl Drop for Fiber {
    fn drop(&mut self) {
        if let Some(coroutine) = &mut self.coroutine {
            // SAFETY: an idle coroutine has nothing to drop, and one that is abandoned ran C++ without destructors.
            unsafe { coroutine.force_reset() };
        }
    }
}
