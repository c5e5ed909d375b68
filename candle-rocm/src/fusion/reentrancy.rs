//! Whether this thread is running or dropping recorded operations: code of others that it calls then must not wait for that.

use std::cell::Cell;

#[derive(Clone, Copy, PartialEq)]
enum State {
    Idle,
    Running,
    Dropping,
}

thread_local! {
    static STATE: Cell<State> = const { Cell::new(State::Idle) };
}

/// Whether operations that this thread calls run at once, as it is running or dropping recorded ones.
#[inline]
pub(super) fn is_reentrant() -> bool {
    STATE.get() != State::Idle
}

/// What it is in the middle of, for messages.
pub(super) fn reentered_from() -> Option<&'static str> {
    match STATE.get() {
        State::Idle => None,
        State::Running => Some("running recorded operations"),
        State::Dropping => Some("dropping recorded operations with what they read"),
    }
}

/// Until it is dropped, also by a panic.
pub(super) struct ReentrancyGuard {
    before: State,
}

impl ReentrancyGuard {
    pub(super) fn running() -> Self {
        Self { before: STATE.replace(State::Running) }
    }

    /// `None` if this thread is dropping operations already.
    pub(super) fn dropping() -> Option<Self> {
        let before = STATE.get();
        (before != State::Dropping).then(|| {
            STATE.set(State::Dropping);
            Self { before }
        })
    }
}

impl Drop for ReentrancyGuard {
    fn drop(&mut self) {
        STATE.set(self.before);
    }
}
