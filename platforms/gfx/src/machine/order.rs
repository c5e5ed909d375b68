//! Order between workgroups of a launch.
//!
//! One that atomically updates a word and is given its old value comes after all that have updated it so before, once it has emptied the
//! caches of its compute unit: what these wrote until then, it may read and overwrite. What they do later is taken for earlier, so a race
//! can be missed.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Who has updated what.
#[derive(Default)]
pub(super) struct Arrivals(Mutex<HashMap<u64, Vec<u32>>>);

impl Arrivals {
    pub(super) fn arrives(&self, user: u32, address: u64) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.entry(address).or_default().push(user);
    }
}

/// Whom a workgroup comes after.
#[derive(Default)]
pub(crate) struct Order {
    /// Those that it has seen since it emptied the caches.
    seen: Vec<u32>,
    after: Vec<u32>,
}

impl Order {
    pub(super) fn is_after(&self, user: u32) -> bool {
        self.after.contains(&user)
    }

    pub(super) fn sees(&mut self, arrivals: &Arrivals, address: u64) {
        let all = arrivals.0.lock().unwrap_or_else(PoisonError::into_inner);
        self.seen.extend(all.get(&address).into_iter().flatten());
    }

    /// The caches were emptied.
    pub(crate) fn invalidates(&mut self) {
        self.after.append(&mut self.seen);
    }
}
