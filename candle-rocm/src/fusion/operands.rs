//! Recorded operands as those of operations.

use std::mem::ManuallyDrop;

use smallvec::SmallVec;

use super::graph::Recorded;
use crate::common::operand::Operand;
use crate::{RocmDevice, RocmStorage};

/// Operands as storages, which are there while `run` is.
///
/// Their counters are those that every recording thread changes too, so they are not touched: a launch would wait for them longer than
/// for all else that it does on the host.
pub(super) fn with_operands<R>(
    device: &RocmDevice,
    operands: &[Recorded],
    run: impl FnOnce(&[Operand<'_>]) -> R,
) -> R {
    let borrowed = |(value, _): &Recorded| {
        // SAFETY: `operands` and `device` live longer than `run`. Nobody drops the storage, and as `run` only sees it behind a
        // reference, nobody else takes it apart.
        ManuallyDrop::new(unsafe { RocmStorage::borrowed(value, device) })
    };
    let storages: SmallVec<[ManuallyDrop<RocmStorage>; 4]> = operands.iter().map(borrowed).collect();
    let views: SmallVec<[Operand<'_>; 4]> =
        storages.iter().zip(operands).map(|(storage, (_, view))| (&**storage, &***view)).collect();
    run(&views)
}
