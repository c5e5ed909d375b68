//! One of a few values, in an atomic.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU8, Ordering};

/// Values that a setting may have, of which one is the default.
pub(crate) trait Enumerated: Copy + Default + PartialEq + 'static {
    /// All of them, at most 256.
    const ALL: &'static [Self];
}

/// A setting that threads share: an enum in an atomic.
pub(crate) struct AtomicEnum<T> {
    /// The place in [`Enumerated::ALL`].
    index: AtomicU8,
    _value: PhantomData<T>,
}

impl<T: Enumerated> AtomicEnum<T> {
    /// The value.
    pub(crate) fn get(&self) -> T {
        T::ALL.get(usize::from(self.index.load(Ordering::Relaxed))).copied().unwrap_or_default()
    }

    /// Changes the value.
    pub(crate) fn set(&self, value: T) {
        self.index.store(index(value), Ordering::Relaxed);
    }
}

/// A value that is in no list is read as the default.
fn index<T: Enumerated>(value: T) -> u8 {
    let place = T::ALL.iter().position(|&known| known == value);
    place.and_then(|place| u8::try_from(place).ok()).unwrap_or(u8::MAX)
}

impl<T: Enumerated> Default for AtomicEnum<T> {
    fn default() -> Self {
        Self { index: AtomicU8::new(index(T::default())), _value: PhantomData }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    enum Engine {
        First,
        #[default]
        Second,
        Unlisted,
    }

    impl Enumerated for Engine {
        const ALL: &'static [Self] = &[Self::First, Self::Second];
    }

    #[test]
    fn settings_are_kept() {
        let engine = AtomicEnum::<Engine>::default();
        assert_eq!(engine.get(), Engine::Second);
        engine.set(Engine::First);
        assert_eq!(engine.get(), Engine::First);
        engine.set(Engine::Unlisted);
        assert_eq!(engine.get(), Engine::Second, "not one of the values");
    }
}
