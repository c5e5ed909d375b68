//! Values by their keys, of those that were asked for lately: programs may have trees without end.

use std::collections::HashMap;
use std::hash::Hash;
use std::mem;

use rustc_hash::FxBuildHasher;

/// Keys from which on those are forgotten that were not asked for while as many others were.
const MOST: usize = 512;

pub(super) struct Known<K, V> {
    recent: HashMap<K, V, FxBuildHasher>,
    /// Those of the time before.
    former: HashMap<K, V, FxBuildHasher>,
}

impl<K, V> Default for Known<K, V> {
    fn default() -> Self {
        Self { recent: HashMap::default(), former: HashMap::default() }
    }
}

impl<K: Clone + Eq + Hash, V: Clone + Default> Known<K, V> {
    /// The key's value, a new one if it has none or was forgotten.
    pub(super) fn get(&mut self, key: &K) -> V {
        if let Some(value) = self.recent.get(key) {
            return value.clone();
        }
        let value = self.former.remove(key).unwrap_or_default();
        if self.recent.len() == MOST {
            self.former = mem::take(&mut self.recent);
        }
        self.recent.insert(key.clone(), value.clone());
        value
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn it_has_a_bound_and_keeps_what_is_used() {
        let mut known = Known::<usize, Arc<AtomicUsize>>::default();
        let meet =
            |known: &mut Known<_, Arc<AtomicUsize>>, key| known.get(&key).fetch_add(1, Ordering::Relaxed);
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
    }
}
