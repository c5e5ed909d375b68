//! Values by their keys, of those that were asked for lately: programs may have trees, and segments, without end.

use std::collections::HashMap;
use std::hash::Hash;
use std::mem;

use rustc_hash::FxBuildHasher;

/// From `MOST` keys on those are forgotten that were not asked for while as many others were.
pub(super) struct Known<K, V, const MOST: usize> {
    recent: HashMap<K, V, FxBuildHasher>,
    /// Those of the time before.
    former: HashMap<K, V, FxBuildHasher>,
}

impl<K, V, const MOST: usize> Default for Known<K, V, MOST> {
    fn default() -> Self {
        Self { recent: HashMap::default(), former: HashMap::default() }
    }
}

impl<K: Clone + Eq + Hash, V: Clone, const MOST: usize> Known<K, V, MOST> {
    /// The key's value, a new one if it has none or was forgotten.
    pub(super) fn get_or_insert_with(&mut self, key: &K, make: impl FnOnce() -> V) -> V {
        if let Some(value) = self.recent.get(key) {
            return value.clone();
        }
        let value = self.former.remove(key).unwrap_or_else(make);
        if self.recent.len() == MOST {
            self.former = mem::take(&mut self.recent);
        }
        self.recent.insert(key.clone(), value.clone());
        value
    }

    pub(super) fn keys(&self) -> impl Iterator<Item = &K> {
        self.recent.keys().chain(self.former.keys())
    }

    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    const MOST: usize = 512;

    #[test]
    fn it_has_a_bound_and_keeps_what_is_used() {
        let mut known = Known::<usize, Arc<AtomicUsize>, MOST>::default();
        let meet = |known: &mut Known<_, Arc<AtomicUsize>, MOST>, key| {
            known.get_or_insert_with(&key, Arc::default).fetch_add(1, Ordering::Relaxed)
        };
        for key in 1..10_000 {
            assert_eq!(meet(&mut known, key), 0);
            assert_eq!(meet(&mut known, key), 1);
            // Used all the time.
            assert_eq!(meet(&mut known, 0), key - 1);
            assert!(known.recent.len() + known.former.len() <= 2 * MOST);
        }
        // As many as there is room for are all there, the first of all is not.
        for key in 10_000 - MOST..10_000 {
            assert_eq!(meet(&mut known, key), 2);
        }
        assert_eq!(meet(&mut known, 1), 0);
        known.clear();
        assert_eq!(meet(&mut known, 0), 0);
    }
}
