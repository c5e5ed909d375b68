//! Locks that all threads take in one order, so that none waits for another in a circle.
//!
//! A lock under which others are taken has a [`Rank`]; each crate lists its ranks once, in the order in which a thread takes them
//! ([`lock_order!`](crate::lock_order)). Every other lock is a [`Leaf`], under which none is taken. Builds with debug assertions panic where
//! a thread takes a lock of the rank of one that it holds, or of an earlier one. In others these are std's locks, and a rank is a name.
//!
//! What a panic left is taken as it is: what these locks protect is consistent wherever its owner may panic.

use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::{self, Condvar, MutexGuard, PoisonError, RwLockReadGuard, RwLockWriteGuard, TryLockError};

/// A place in the order: a thread takes locks of later places only.
pub trait Rank {
    /// The place.
    const PLACE: u8;
    /// For messages.
    const NAME: &'static str;
}

/// Declares ranks that come one after the other, the first one at the given place.
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

    /// [`PerPlatform`](crate::PerPlatform): a library is opened.
    pub Libraries,
    /// The devices of a runtime: one is opened.
    pub Devices,
    /// A program's turn to be compiled.
    pub Compiling,
    /// The functions of a [`ResidentModule`](crate::ResidentModule): one is looked for.
    pub Functions,
    /// Dims and strides on the device: memory for them is allocated and written.
    pub Info,
    /// Pinned memory for copies.
    pub Staging,
    /// The streams that use a buffer: events are put on them.
    pub Readers,
    /// The trace: events are asked for their times.
    pub Trace,
    /// All locks under which none is taken.
    pub Leaf,
}

/// A [`std::sync::Mutex`] with a place in the order.
pub struct Mutex<T, R = Leaf> {
    lock: sync::Mutex<T>,
    rank: PhantomData<fn() -> R>,
}

impl<T, R: Rank> Mutex<T, R> {
    /// Of a value.
    pub const fn new(value: T) -> Self {
        Self { lock: sync::Mutex::new(value), rank: PhantomData }
    }

    /// Waits for the lock.
    #[inline]
    pub fn lock(&self) -> Guard<MutexGuard<'_, T>> {
        held::check::<R>();
        Guard::new::<R>(self.lock.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The lock, if nobody has it. As this does not wait, it may come in any order.
    pub fn try_lock(&self) -> Option<Guard<MutexGuard<'_, T>>> {
        match self.lock.try_lock() {
            Ok(guard) => Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
        .map(Guard::new::<R>)
    }

    /// The value of a lock that nobody else knows.
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

/// A [`std::sync::RwLock`] with a place in the order.
pub struct RwLock<T, R = Leaf> {
    lock: sync::RwLock<T>,
    rank: PhantomData<fn() -> R>,
}

impl<T, R: Rank> RwLock<T, R> {
    /// Of a value.
    pub const fn new(value: T) -> Self {
        Self { lock: sync::RwLock::new(value), rank: PhantomData }
    }

    /// Waits until nobody writes.
    #[inline]
    pub fn read(&self) -> Guard<RwLockReadGuard<'_, T>> {
        held::check::<R>();
        Guard::new::<R>(self.lock.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Waits until nobody reads or writes.
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

/// A lock that this thread holds until it is dropped.
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
    /// Releases the lock until another thread says that something has changed.
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
