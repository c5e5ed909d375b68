//! Errors of collectives inside of candle's.

use std::sync::Arc;

use candle_core::Error;
use candle_rocm::RocmError;
use candle_rocm::hip::HipError;
use rocm_rccl::{Failure, RcclError};

/// Extracts why a communicator failed from candle's error. `None` if something else went wrong. The error may come from a call of the
/// communicator, or from one that waited for the device.
pub fn failure(error: &Error) -> Option<&Failure> {
    match RocmError::of(error)? {
        RocmError::Hip(HipError::Queued(queued)) => queued.downcast_ref(),
        _ => None,
    }
}

/// Failures have one form, whether a call returned them or they came later.
pub(crate) fn wrap(error: RcclError) -> Error {
    match error {
        RcclError::Failed(failure) => RocmError::Hip(HipError::Queued(Arc::new(failure))).into(),
        RcclError::Hip(error) => RocmError::Hip(error).into(),
        // candle's variant for errors of backends keeps them as they are.
        other => Error::Cuda(Box::new(other)).bt(),
    }
}
