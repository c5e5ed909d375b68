//! Operations of other crates, in their order among the recorded ones.

use std::fmt;
use std::sync::Arc;

use candle_core::{DType, Layout};

use crate::common::operand::{Operand, slice};
use crate::common::operation::{Described, One, Op};
use crate::{RocmDevice, RocmStorageSlice};

/// An operation of another crate, which [`RocmStorage::apply`](crate::RocmStorage::apply) runs on the stream in the order of the calls.
///
/// Unless [`has_effects`](ExternalOp::has_effects) returns `false`, it always runs: even if its result is never read, because other devices
/// may wait for it, and even when the device is dropped, on the thread that drops the last clone. The exit of the process does not wait for
/// it while a clone of the device exists. If it panics, reading the result returns [`RocmError::Panicked`](crate::RocmError::Panicked).
pub trait ExternalOp: Send + Sync {
    /// The name, for errors and profiles.
    fn name(&self) -> &'static str;

    /// Whether the operation does more than compute its result. One that does not is recorded like candle's own: it may be reordered, as
    /// long as results stay the same, and is skipped if its result is never read.
    fn has_effects(&self) -> bool {
        true
    }

    /// Queues the operation. `layout` is contiguous if the operation was recorded.
    ///
    /// # Errors
    /// With [fusion](crate::Fusion), errors are reported by the call that reads the result or waits for the device.
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

impl Op for External {
    type Operands<T> = One<T>;

    fn name(&self) -> &'static str {
        self.op.name()
    }

    fn key(&self, words: &mut Vec<u64>) {
        words.push(self.op.has_effects().into());
    }

    fn result(&self, _: &RocmDevice, One { x }: One<Described<'_>>) -> Option<(usize, DType)> {
        x.is_contiguous.then_some((self.len, x.dtype))
    }

    fn run(&self, device: &RocmDevice, One { x }: One<Operand<'_>>) -> candle_core::Result<RocmStorageSlice> {
        let (x, layout) = slice(x)?;
        self.op.run(device, x, layout)
    }
}

impl fmt::Debug for External {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "External({})", self.op.name())
    }
}
