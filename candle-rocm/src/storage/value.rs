//! Elements that are there, or that a recorded operation will give.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use candle_core::DType;

use crate::{RocmError, RocmStorageSlice};

/// The elements of a storage, shared with the recorded operations that read them.
#[derive(Debug)]
pub(crate) struct Value {
    dtype: DType,
    len: usize,
    slice: OnceLock<Result<RocmStorageSlice, Arc<Failure>>>,
    /// Where in its window the operation is that gives them.
    index: AtomicUsize,
}

impl Value {
    pub(super) fn new(slice: RocmStorageSlice) -> Self {
        let value = Self::recorded(slice.dtype(), slice.len());
        let _ = value.slice.set(Ok(slice));
        value
    }

    /// `len` elements that are still to be computed.
    pub(crate) fn recorded(dtype: DType, len: usize) -> Self {
        Self { dtype, len, slice: OnceLock::new(), index: AtomicUsize::new(usize::MAX) }
    }

    pub(crate) fn dtype(&self) -> DType {
        self.dtype
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(super) fn get(&self) -> Option<Result<&RocmStorageSlice, RocmError>> {
        Some(self.slice.get()?.as_ref().map_err(|failure| failure.report()))
    }

    pub(super) fn get_mut(&mut self) -> Option<Result<&mut RocmStorageSlice, RocmError>> {
        Some(self.slice.get_mut()?.as_mut().map_err(|failure| failure.report()))
    }

    pub(super) fn into_slice(self) -> Option<Result<RocmStorageSlice, RocmError>> {
        Some(self.slice.into_inner()?.map_err(|failure| failure.report()))
    }

    /// What the operation gave. The first answer holds.
    pub(crate) fn set(&self, slice: Result<RocmStorageSlice, Arc<Failure>>) {
        let _ = self.slice.set(slice);
    }

    pub(crate) fn index(&self) -> usize {
        self.index.load(Ordering::Relaxed)
    }

    pub(crate) fn set_index(&self, index: usize) {
        self.index.store(index, Ordering::Relaxed);
    }
}

/// Why a recorded operation gave nothing. Whoever asks first gets the error itself, others what it says.
#[derive(Debug)]
pub(crate) struct Failure {
    op: &'static str,
    message: String,
    error: Mutex<Option<RocmError>>,
}

impl Failure {
    pub(crate) fn new(op: &'static str, error: RocmError) -> Self {
        // What failed for want of an operand names what failed first.
        let (op, message) = match &error {
            RocmError::Earlier { op, message } => (*op, message.clone()),
            _ => (op, error.to_string()),
        };
        Self { op, message, error: Mutex::new(Some(error)) }
    }

    /// The error, unless somebody has it.
    pub(crate) fn take(&self) -> Option<RocmError> {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    #[cold]
    fn report(&self) -> RocmError {
        let (op, message) = (self.op, &self.message);
        self.take().unwrap_or_else(|| RocmError::Earlier { op, message: message.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_failures_say_what_failed_first() {
        let first =
            Failure::new("matmul", RocmError::InvalidArgument { op: "matmul", message: "no".to_owned() });
        assert!(matches!(first.report(), RocmError::InvalidArgument { .. }));
        let mut error = first.report();
        for op in ["rms-norm", "rope", "cat"] {
            let next = Failure::new(op, error);
            assert!(next.take().is_some());
            error = next.report();
        }
        assert_eq!(error.to_string(), first.report().to_string());
    }
}
