//! Locks that all threads acquire in one order, so that they cannot deadlock.
//!
//! A lock under which others are acquired has a [`Rank`]. Each crate lists its ranks once, in the order in which a thread acquires them
//! ([`lock_order!`](crate::lock_order)). Every other lock is a [`Leaf`], under which no lock is acquired. With debug assertions, acquiring
//! a lock panics if the thread holds one of the same or a later rank. Without them these are std's locks, and ranks cost nothing.
//!
//! Poisoning is ignored: wherever a thread may panic, the data behind these locks is consistent.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::{self, Condvar, MutexGuard, PoisonError, RwLockReadGuard, RwLockWriteGuard, TryLockError};

/// A rank in the lock order: a thread that holds a lock acquires only locks of later ranks.
pub trait Rank {
    /// The position in the order.
    const PLACE: u8;
    /// The name, for messages.
    const NAME: &'static str;
}

/// Declares consecutive ranks, starting at the given position.
#[macro_export]
macro_rules! lock_order {
    ($first:expr; $($(#[$doc:meta])* $public:vis $rank:ident,)*) => {
        enum Place {
            $($rank,)*
        }

        $(
            $(#[$doc])*
            $public enum $rank {}

            impl $crate::lock::Rank for $rank {
                const PLACE: u8 = $first + Place::$rank as u8;
                const NAME: &'static str = stringify!($rank);
            }
        )*
    };
}

/// Where this crate's ranks begin. Who builds on it takes locks of earlier ranks, as it takes them before it calls this crate.
const FIRST: u8 = 100;

lock_order! {
    FIRST;

    /// [`PerPlatform`](crate::PerPlatform): held while a library is opened.
    pub Libraries,
    /// The devices of a runtime: held while one is opened.
    pub Devices,
    /// Held by the thread whose turn it is to compile a program.
    pub Compiling,
    /// The functions of a [`ResidentModule`](crate::ResidentModule): held while one is looked up.
    pub Functions,
    /// Dims and strides on the device: held while memory for them is allocated and written.
    pub Info,
    /// Pinned memory for copies.
    pub Staging,
    /// The streams that use a buffer: held while events are recorded on them.
    pub Readers,
    /// The trace: held while the times of events are queried.
    pub Trace,
    /// All locks under which no other is acquired.
    pub Leaf,
}

/// A [`std::sync::Mutex`] with a rank.
pub struct Mutex<T, R = Leaf> {
    lock: sync::Mutex<T>,
    rank: PhantomData<fn() -> R>,
}

impl<T, R: Rank> Mutex<T, R> {
    /// Creates a lock around a value.
    pub const fn new(value: T) -> Self {
        Self { lock: sync::Mutex::new(value), rank: PhantomData }
    }

    /// Acquires the lock, waiting for it if necessary.
    #[inline]
    pub fn lock(&self) -> Guard<MutexGuard<'_, T>> {
        held::check::<R>();
        Guard::new::<R>(self.lock.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Acquires the lock if it is free. Does not wait, and may therefore be called in any order.
    pub fn try_lock(&self) -> Option<Guard<MutexGuard<'_, T>>> {
        match self.lock.try_lock() {
            Ok(guard) => Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
        .map(Guard::new::<R>)
    }

    /// The value, without locking: the exclusive reference proves that no other thread has access.
    #[inline]
    pub fn get_mut(&mut self) -> &mut T {
        self.lock.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Default, R: Rank> Default for Mutex<T, R> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T: fmt::Debug, R> fmt::Debug for Mutex<T, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lock.fmt(f)
    }
}

/// A [`std::sync::RwLock`] with a rank.
pub struct RwLock<T, R = Leaf> {
    lock: sync::RwLock<T>,
    rank: PhantomData<fn() -> R>,
}

impl<T, R: Rank> RwLock<T, R> {
    /// Creates a lock around a value.
    pub const fn new(value: T) -> Self {
        Self { lock: sync::RwLock::new(value), rank: PhantomData }
    }

    /// Acquires the lock for reading. Waits until no thread writes.
    #[inline]
    pub fn read(&self) -> Guard<RwLockReadGuard<'_, T>> {
        held::check::<R>();
        Guard::new::<R>(self.lock.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Acquires the lock for writing. Waits until no thread reads or writes.
    pub fn write(&self) -> Guard<RwLockWriteGuard<'_, T>> {
        held::check::<R>();
        Guard::new::<R>(self.lock.write().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<T: Default, R: Rank> Default for RwLock<T, R> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

/// A lock held by this thread. Dropping it releases the lock.
#[must_use = "the lock is released when this is dropped"]
pub struct Guard<G> {
    guard: G,
    held: held::Held,
}

impl<G> Guard<G> {
    #[inline]
    fn new<R: Rank>(guard: G) -> Self {
        Self { guard, held: held::Held::new::<R>() }
    }
}

impl<T> Guard<MutexGuard<'_, T>> {
    /// Releases the lock until `changed` is notified, then acquires it again.
    pub fn wait(self, changed: &Condvar) -> Self {
        let Self { guard, held } = self;
        Self { guard: changed.wait(guard).unwrap_or_else(PoisonError::into_inner), held }
    }
}

impl<G: Deref> Deref for Guard<G> {
    type Target = G::Target;

    #[inline]
    fn deref(&self) -> &G::Target {
        &self.guard
    }
}

impl<G: DerefMut> DerefMut for Guard<G> {
    #[inline]
    fn deref_mut(&mut self) -> &mut G::Target {
        &mut self.guard
    }
}

/// The ranks that this thread holds.
#[cfg(debug_assertions)]
mod held {
    use std::cell::RefCell;

    use super::Rank;

    thread_local! {
        static HELD: RefCell<Vec<(u8, &'static str)>> = const { RefCell::new(Vec::new()) };
    }

    pub(super) struct Held(u8);

    pub(super) fn check<R: Rank>() {
        // A thread that ends has no list any more.
        let before =
            HELD.try_with(|held| held.borrow().iter().copied().find(|(place, _)| *place >= R::PLACE));
        if let Ok(Some((_, name))) = before {
            panic!("the lock {} is taken while this thread holds {name}: see `lock_order!`", R::NAME);
        }
    }

    impl Held {
        pub(super) fn new<R: Rank>() -> Self {
            let _ = HELD.try_with(|held| held.borrow_mut().push((R::PLACE, R::NAME)));
            Self(R::PLACE)
        }
    }

    impl Drop for Held {
        fn drop(&mut self) {
            let _ = HELD.try_with(|held| {
                let mut held = held.borrow_mut();
                let last = held.iter().rposition(|(place, _)| *place == self.0);
                last.map(|last| held.swap_remove(last))
            });
        }
    }
}

#[cfg(not(debug_assertions))]
mod held {
    use super::Rank;

    pub(super) struct Held;

    #[inline]
    pub(super) fn check<R: Rank>() {}

    impl Held {
        #[inline]
        pub(super) fn new<R: Rank>() -> Self {
            Self
        }
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    mod order {
        lock_order! { 3; pub(super) First, pub(super) Second, }
    }
    use order::{First, Second};

    #[derive(Default)]
    struct Locks {
        first: Mutex<u8, First>,
        second: RwLock<u8, Second>,
        leaf: Mutex<u8>,
    }

    /// What debug builds say against it.
    fn refusal(take: impl FnOnce()) -> Option<String> {
        let refusal = catch_unwind(AssertUnwindSafe(take)).err()?;
        Some(*refusal.downcast::<String>().expect("a message"))
    }

    #[test]
    fn a_wrong_order_is_refused() {
        let (locks, other) = (Locks::default(), Locks::default());
        let all = || {
            let _first = locks.first.lock();
            let _second = locks.second.read();
            *locks.leaf.lock() += 1;
            *other.leaf.lock() += 1;
        };
        all();
        let refused = [
            refusal(|| {
                let _second = locks.second.write();
                drop(locks.first.lock());
            }),
            refusal(|| {
                let _leaf = locks.leaf.lock();
                drop(locks.second.read());
            }),
            // Of one rank: another thread might take the two the other way round.
            refusal(|| {
                let _leaf = locks.leaf.lock();
                drop(other.leaf.lock());
            }),
        ];
        for (refused, [held, taken]) in
            refused.iter().zip([["Second", "First"], ["Leaf", "Second"], ["Leaf", "Leaf"]])
        {
            let want = format!("the lock {taken} is taken while this thread holds {held}: see `lock_order!`");
            assert_eq!(refused.as_deref(), cfg!(debug_assertions).then_some(&*want));
        }
        // Neither a panic nor another order of releasing them leaves anything behind.
        all();
        let (first, second) = (locks.first.lock(), locks.second.read());
        drop(first);
        assert_eq!(
            refusal(|| drop(locks.first.lock())).is_some(),
            cfg!(debug_assertions),
            "`second` is still held"
        );
        drop(second);
        all();
    }

    #[test]
    fn what_does_not_wait_comes_in_any_order() {
        let locks = Locks::default();
        let second = locks.second.read();
        let first = locks.first.try_lock();
        assert!(first.is_some());
        std::thread::scope(|scope| {
            scope.spawn(|| assert!(locks.first.try_lock().is_none()));
        });
        drop((second, first));
        assert!(locks.first.try_lock().is_some());
    }

    #[test]
    fn a_panic_leaves_a_lock_that_others_take() {
        let lock: Mutex<u8> = Mutex::default();
        let held = catch_unwind(AssertUnwindSafe(|| {
            *lock.lock() = 7;
            let _held = lock.lock();
            panic!("while it is held");
        }));
        assert!(held.is_err() && *lock.lock() == 7);
    }

    #[test]
    fn waiting_releases_the_lock() {
        let (lock, changed) = (Mutex::<bool>::default(), Condvar::new());
        std::thread::scope(|scope| {
            scope.spawn(|| {
                *lock.lock() = true;
                changed.notify_all();
            });
            let mut there = lock.lock();
            while !*there {
                there = there.wait(&changed);
            }
        });
        assert!(*lock.lock());
    }
}
