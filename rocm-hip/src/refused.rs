//! A conversion that failed gives back what was to be converted.

use std::error::Error;
use std::fmt;

use crate::HipError;

/// A failed conversion: the value, and why it was not converted. Converts into [`HipError`] with `?`, which drops the value.
pub struct Refused<V, E = HipError> {
    /// The value, unchanged.
    pub value: V,
    /// Why the value was not converted.
    pub error: Box<E>,
}

impl<V, E> Refused<V, E> {
    /// Pairs a value with the error.
    pub fn new(value: V, error: E) -> Self {
        Self { value, error: Box::new(error) }
    }

    /// Returns the same error with the value in another form.
    pub fn map<W>(self, form: impl FnOnce(V) -> W) -> Refused<W, E> {
        Refused { value: form(self.value), error: self.error }
    }
}

impl<V> From<Refused<V>> for HipError {
    fn from(refused: Refused<V>) -> Self {
        *refused.error
    }
}

impl<V, E: fmt::Debug> fmt::Debug for Refused<V, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Refused").field("error", &self.error).finish_non_exhaustive()
    }
}

impl<V, E: fmt::Display> fmt::Display for Refused<V, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)
    }
}

impl<V, E: Error> Error for Refused<V, E> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.error.source()
    }
}
