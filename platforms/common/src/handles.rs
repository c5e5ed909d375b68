//! Objects by handle.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

/// The objects of one kind that C refers to by handle. Handles are never reused, so the handle of a destroyed object is known to be
/// invalid.
pub struct Handles<T> {
    objects: LazyLock<RwLock<HashMap<usize, T>>>,
    next: AtomicUsize,
}

impl<T> Handles<T> {
    /// An empty table whose first handle is `first`.
    ///
    /// Handles should look like addresses that no object can have, and differ from those of other tables: in the upper half of
    /// the address space, such as `0x5243_0000_0000_0000`.
    pub const fn new(first: usize) -> Self {
        Self { objects: LazyLock::new(RwLock::default), next: AtomicUsize::new(first) }
    }

    fn read(&self) -> RwLockReadGuard<'_, HashMap<usize, T>> {
        self.objects.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, HashMap<usize, T>> {
        self.objects.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// A new handle, which refers to nothing yet.
    pub fn reserve(&self) -> usize {
        self.next.fetch_add(16, Ordering::Relaxed)
    }

    /// Makes a reserved handle refer to an object.
    pub fn insert_reserved(&self, handle: usize, object: T) {
        self.write().insert(handle, object);
    }

    /// Adds an object and returns its handle.
    pub fn insert(&self, object: T) -> usize {
        let handle = self.reserve();
        self.insert_reserved(handle, object);
        handle
    }

    /// A copy of the object, or `None` for a handle that is not valid.
    pub fn get(&self, handle: usize) -> Option<T>
    where
        T: Clone,
    {
        self.read().get(&handle).cloned()
    }

    /// Runs `f` on the object while the table is locked, or returns `None` for a handle that is not valid.
    pub fn with<R>(&self, handle: usize, f: impl FnOnce(&mut T) -> R) -> Option<R> {
        self.write().get_mut(&handle).map(f)
    }

    /// Invalidates a handle and returns its object.
    pub fn remove(&self, handle: usize) -> Option<T> {
        self.write().remove(&handle)
    }

    /// Invalidates the handles of all objects that `f` accepts, and returns those objects.
    pub fn remove_all(&self, mut f: impl FnMut(&T) -> bool) -> Vec<T> {
        self.write().extract_if(|_, object| f(object)).map(|(_, object)| object).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_never_reused() {
        static HANDLES: Handles<&str> = Handles::new(0x100);
        let first = HANDLES.insert("first");
        assert_eq!((first, HANDLES.get(first)), (0x100, Some("first")));
        assert_eq!(HANDLES.remove(first), Some("first"));
        let second = HANDLES.insert("second");
        assert_ne!(first, second);
        assert_eq!((HANDLES.get(first), HANDLES.remove(first)), (None, None));
        HANDLES.with(second, |text| *text = "changed");
        assert_eq!(HANDLES.with(first, |_| ()), None);
        assert_eq!(HANDLES.remove_all(|text| *text == "changed"), ["changed"]);
        assert_eq!(HANDLES.get(second), None);
    }
}
