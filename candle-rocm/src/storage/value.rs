//! Elements that are there, or that a recorded operation will give.

use std::error::Error;
use std::mem::ManuallyDrop;
use std::ops::Deref;
use std::ptr;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use candle_core::DType;

use crate::device::unless_forked;
use crate::hip::HipError;
use crate::lock::Mutex;
use crate::{RocmError, RocmStorageSlice};

/// The elements of a storage, shared with the recorded operations that read them.
#[derive(Debug)]
pub(crate) struct Value {
    dtype: DType,
    len: usize,
    slice: OnceLock<Result<RocmStorageSlice, Arc<Failure>>>,
    /// Storages that have them.
    holders: AtomicU32,
    /// When the last of these went.
    released: AtomicU64,
}

/// A point in a program, by a logical clock: another thread tells from it what came before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timestamp(u64);

static CLOCK: AtomicU64 = AtomicU64::new(0);

impl Timestamp {
    /// What this thread did before comes before it, and what it does from now on does not.
    pub(crate) fn now() -> Self {
        Self(CLOCK.fetch_add(1, Ordering::Relaxed) + 1)
    }
}

impl Value {
    pub(super) fn new(slice: RocmStorageSlice) -> Self {
        let value = Self::recorded(slice.dtype(), slice.len());
        let _ = value.slice.set(Ok(slice));
        value
    }

    /// `len` elements that are still to be computed.
    pub(crate) fn recorded(dtype: DType, len: usize) -> Self {
        Self {
            dtype,
            len,
            slice: OnceLock::new(),
            holders: AtomicU32::new(0),
            released: AtomicU64::new(u64::MAX),
        }
    }

    /// Whether a storage had them at that point of the program.
    pub(crate) fn was_held(&self, at: Timestamp) -> bool {
        self.released.load(Ordering::Relaxed) >= at.0
    }

    /// As if storages had had them, and are gone.
    #[cfg(test)]
    pub(crate) fn release(&self) {
        self.released.store(CLOCK.load(Ordering::Relaxed), Ordering::Relaxed);
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

    /// Whether the operation gave an error, which somebody is still to be told.
    pub(crate) fn has_failed(&self) -> bool {
        matches!(self.slice.get(), Some(Err(_)))
    }

    /// What the operation gave. The first answer holds.
    pub(crate) fn set(&self, slice: Result<RocmStorageSlice, Arc<Failure>>) {
        let _ = self.slice.set(slice);
    }
}

/// A storage's share of a value.
#[derive(Debug)]
pub(crate) struct Held(Arc<Value>);

impl Held {
    pub(super) fn new(value: Arc<Value>) -> Self {
        value.holders.fetch_add(1, Ordering::Relaxed);
        Self(value)
    }

    /// The same without being counted.
    ///
    /// # Safety
    /// It is never dropped, and `value` lives longer.
    pub(super) unsafe fn borrowed(value: &Arc<Value>) -> Self {
        // SAFETY: a copy of a reference that, as the caller says, is used while the first one is there, and not dropped.
        Self(unsafe { ptr::read(value) })
    }

    pub(super) fn get_mut(&mut self) -> Option<&mut Value> {
        Arc::get_mut(&mut self.0)
    }

    pub(super) fn try_unwrap(self) -> Result<Value, Self> {
        let held = ManuallyDrop::new(self);
        // SAFETY: `held` is neither used nor dropped after this.
        Arc::try_unwrap(unsafe { ptr::read(&held.0) }).map_err(Self)
    }
}

impl Deref for Held {
    type Target = Arc<Value>;

    fn deref(&self) -> &Arc<Value> {
        &self.0
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if self.0.holders.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.0.released.store(CLOCK.load(Ordering::Relaxed), Ordering::Relaxed);
        }
    }
}

/// Why a recorded operation gave nothing. Whoever asks first gets the error itself, others what it says.
#[derive(Debug)]
pub(crate) struct Failure {
    op: &'static str,
    message: String,
    error: Mutex<Option<RocmError>>,
    /// What another crate left with the stream, such as that a rank is gone: all who ask get that, as programs look for it.
    queued: Option<Arc<dyn Error + Send + Sync>>,
}

impl Failure {
    pub(crate) fn new(op: &'static str, error: RocmError) -> Self {
        // What failed for want of an operand names what failed first.
        let (op, message) = match &error {
            RocmError::Earlier { op, message } => (*op, message.clone()),
            _ => (op, error.to_string()),
        };
        let queued = match &error {
            RocmError::Hip(HipError::Queued(queued)) => Some(queued.clone()),
            _ => None,
        };
        Self { op, message, error: Mutex::new(Some(error)), queued }
    }

    /// The error, unless somebody has it.
    pub(crate) fn take(&self) -> Option<RocmError> {
        unless_forked(|| &self.error).lock().take()
    }

    /// Whether somebody was told.
    pub(crate) fn is_taken(&self) -> bool {
        unless_forked(|| &self.error).lock().is_none()
    }

    #[cold]
    fn report(&self) -> RocmError {
        self.take().unwrap_or_else(|| match &self.queued {
            Some(queued) => HipError::Queued(queued.clone()).into(),
            None => RocmError::Earlier { op: self.op, message: self.message.clone() },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values are made by the thread that records and freed by others. glibc frees what has up to 120 bytes without the lock that
    /// threads which allocate hold; with it, recording takes a quarter longer (22 layers of a llama, 16 cores).
    #[test]
    #[cfg(target_pointer_width = "64")]
    fn values_are_small() {
        let counts = 2 * size_of::<AtomicU64>();
        assert!(counts + size_of::<Value>() <= 120, "{}", counts + size_of::<Value>());
    }

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

    #[test]
    fn what_others_left_with_the_stream_keeps_its_type() {
        let queued = HipError::Queued(Arc::new(std::fmt::Error));
        let failure = Failure::new("add", queued.into());
        for _ in 0..3 {
            let error = failure.report();
            assert!(
                matches!(&error, RocmError::Hip(HipError::Queued(queued)) if queued.is::<std::fmt::Error>()),
                "{error}"
            );
        }
        assert!(failure.is_taken());
    }
}
