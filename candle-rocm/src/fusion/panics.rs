//! Panics in recorded operations, which may be another crate's: what runs them goes on, and who asks for the result is told.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::{Result, RocmError};

/// What `run` gives; [`RocmError::Panicked`] if it panics.
pub(super) fn caught<R>(op: &'static str, run: impl FnOnce() -> Result<R>) -> Result<R> {
    // What it had borrowed stays as it is: locks here go on with what a panic left, and results that were not set become errors.
    catch_unwind(AssertUnwindSafe(run))
        .unwrap_or_else(|payload| Err(RocmError::Panicked { op, message: text(&*payload) }))
}

fn text(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message").to_owned()
}
