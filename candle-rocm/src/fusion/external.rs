//! Operations of other crates, in their order among the recorded ones.

use std::fmt;
use std::sync::Arc;

use candle_core::{DType, Layout};

use crate::{RocmDevice, RocmStorageSlice};

/// An operation of another crate, which [`RocmStorage::apply`](crate::RocmStorage::apply) puts on the stream in the order of the calls.
///
/// It runs also where nobody reads its result, as other devices may wait for what it does, and where the device goes, by whoever drops
/// its last clone. An exit of the process does not wait for it as long as there is a clone. If it panics, who asks for the result gets
/// [`RocmError::Panicked`](crate::RocmError::Panicked).
pub trait ExternalOp: Send + Sync {
    /// For errors and profiles.
    fn name(&self) -> &'static str;

    /// Queues the operation. `layout` is contiguous if the operation was recorded.
    ///
    /// # Errors
    /// With [fusion](crate::Fusion) they are reported by who asks for the result, or waits for the device.
    fn run(
        &self,
        device: &RocmDevice,
        x: &RocmStorageSlice,
        layout: &Layout,
    ) -> candle_core::Result<RocmStorageSlice>;
}

/// An operation, and how many elements it gives, of the operand's dtype.
#[derive(Clone)]
pub(crate) struct External {
    pub(super) op: Arc<dyn ExternalOp>,
    pub(super) len: usize,
}

impl External {
    pub(super) fn result(&self, dtype: DType, contiguous: bool) -> Option<(usize, DType)> {
        (contiguous && self.len > 0).then_some((self.len, dtype))
    }
}

impl fmt::Debug for External {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "External({})", self.op.name())
    }
}
