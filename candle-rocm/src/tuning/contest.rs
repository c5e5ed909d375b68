//! Which choices a program's calls ask for: what a model of time is to choose, without a card.

use std::sync::atomic::{AtomicBool, Ordering};

use super::class::Class;
use crate::lock::Mutex;

/// A class of shapes that calls asked for, and the candidates for it that a model of time may choose between. For `cargo xtask predict`; not
/// part of the public interface.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contest {
    pub(super) class: Class,
    pub(super) with_libraries: Option<Class>,
    /// What the fixed rule chooses.
    pub fixed: &'static str,
    pub others: Vec<&'static str>,
}

impl Contest {
    /// The classes that the choice serves, as files of choices have them: the one that was asked for, and that of the same calls where
    /// libraries can be asked, if the fixed rule chooses the same there.
    pub fn classes(&self) -> impl Iterator<Item = String> {
        [Some(self.class), self.with_libraries].into_iter().flatten().map(|class| class.to_string())
    }
}

/// The contests of a device, while somebody watches.
#[derive(Default)]
pub(super) struct Watched {
    is_on: AtomicBool,
    contests: Mutex<Vec<Contest>>,
}

impl Watched {
    #[inline]
    pub(super) fn is_on(&self) -> bool {
        self.is_on.load(Ordering::Relaxed)
    }

    pub(super) fn begin(&self) {
        self.is_on.store(true, Ordering::Relaxed);
    }

    pub(super) fn take(&self) -> Vec<Contest> {
        std::mem::take(&mut self.contests.lock())
    }

    #[inline]
    pub(super) fn note(&self, class: Class, contest: impl FnOnce() -> Option<Contest>) {
        if self.is_on() {
            let contest = contest();
            let mut contests = self.contests.lock();
            if contests.iter().all(|known| known.class != class) {
                contests.extend(contest);
            }
        }
    }
}
