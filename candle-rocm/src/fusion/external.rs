//! Operations of other crates, in their order among the recorded ones.

use std::fmt;
use std::sync::Arc;

use candle_core::{DType, Layout};

use crate::common::operand::{Operand, slice};
use crate::common::operation::{Described, One, Op};
use crate::{RocmDevice, RocmStorageSlice};

/// An operation of another crate, which [`RocmStorage::apply`](crate::RocmStorage::apply) puts on the stream in the order of the calls.
///
/// Unless it [says](ExternalOp::has_effects) that it has no effects, it runs also where nobody reads its result, as other devices may wait
/// for what it does, and where the device goes, by whoever drops its last clone. An exit of the process does not wait for it as long as
/// there is a clone. If it panics, who asks for the result gets [`RocmError::Panicked`](crate::RocmError::Panicked).
pub trait ExternalOp: Send + Sync {
    /// For errors and profiles.
    fn name(&self) -> &'static str;

    /// Whether it does more than give its result. One that does not waits with others, in any order that gives the same results, and is
    /// left out if nobody reads what it gives.
    fn has_effects(&self) -> bool {
        true
    }

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

impl Op for External {
    type Operands<T> = One<T>;

    fn name(&self) -> &'static str {
        self.op.name()
    }

    fn key(&self, _: &mut Vec<u64>) {}

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
