//! A choice among a few that any thread may read and change.

use std::marker::PhantomData;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::hip::variable;

/// What there is to choose from.
pub(crate) trait Choice: Copy + PartialEq + 'static {
    /// All of them, the default first.
    const ALL: &'static [Self];
}

/// The choice, as its index in [`Choice::ALL`].
pub(crate) struct Setting<C>(AtomicU8, PhantomData<C>);

impl<C> Default for Setting<C> {
    fn default() -> Self {
        Self(AtomicU8::new(0), PhantomData)
    }
}

impl<C: Choice> Setting<C> {
    /// What the environment variable names, else the default.
    pub(crate) fn from_variable(name: &str, choices: &[(&str, C)]) -> Self {
        let setting = Self::default();
        if let Some(choice) = variable::choice(name, choices) {
            setting.set(choice);
        }
        setting
    }

    pub(crate) fn get(&self) -> C {
        C::ALL[usize::from(self.0.load(Ordering::Relaxed)) % C::ALL.len()]
    }

    pub(crate) fn set(&self, choice: C) {
        let index = C::ALL.iter().position(|&known| known == choice).unwrap_or_default();
        self.0.store(index as u8, Ordering::Relaxed);
    }
}
