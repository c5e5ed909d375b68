//! The kernels launched last.

use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use crate::interned::InternedName;

/// The names of the last kernels launched, without a lock. Threads that launch at the same moment may blur the order;
/// it is for messages.
#[derive(Default)]
pub(crate) struct Recent {
    /// Kernels launched since the stream was made.
    count: AtomicUsize,
    /// How many of them are known to be done.
    done: AtomicUsize,
    names: [AtomicPtr<&'static str>; 32],
}

impl Recent {
    /// How many there are then.
    pub(crate) fn push(&self, kernel: InternedName) -> usize {
        let count = self.count.fetch_add(1, Ordering::Relaxed);
        let index = count % self.names.len();
        self.names[index].store(kernel.as_ptr(), Ordering::Relaxed);
        count + 1
    }

    pub(crate) fn count(&self) -> usize {
        self.count.load(Ordering::Relaxed)
    }

    pub(crate) fn forget_before(&self, count: usize) {
        self.done.fetch_max(count, Ordering::Relaxed);
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let (count, done) = (self.count(), self.done.load(Ordering::Relaxed));
        let first = done.max(count.saturating_sub(self.names.len()));
        (first..count)
            .filter_map(|index| {
                let name = self.names[index % self.names.len()].load(Ordering::Relaxed);
                // SAFETY: null, or from a `&'static &'static str`.
                unsafe { name.as_ref() }.map(|name| (*name).to_owned())
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_since_the_last_synchronisation() {
        let recent = Recent::default();
        assert!(recent.names().is_empty());
        for name in ["a", "b"] {
            recent.push(InternedName::new(name));
        }
        assert_eq!(recent.names(), ["a", "b"]);
        let launched = recent.count();
        recent.push(InternedName::new("c"));
        recent.forget_before(launched);
        assert_eq!(recent.names(), ["c"]);
        for _ in 0..100 {
            recent.push(InternedName::new("d"));
        }
        assert_eq!(recent.names(), ["d"; 32]);
    }
}
