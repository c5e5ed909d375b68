//! Recorded operands as those of operations.

use std::mem::ManuallyDrop;
use std::sync::Arc;

use smallvec::SmallVec;

use super::graph::{Argument, Recorded, Slot, View};
use super::{Node, Operation};
use crate::common::operand::Operand;
use crate::quantized::QMatrix;
use crate::storage::Value;
use crate::{Result, RocmDevice, RocmStorage};

/// Operands as storages, which are there while `run` is.
pub(super) fn with_operands<R>(
    device: &RocmDevice,
    operands: &[Recorded],
    run: impl FnOnce(&[Operand<'_>]) -> R,
) -> R {
    with_values(device, operands.iter().map(|(value, view)| (value, &**view)), run)
}

/// The same of values and the views of them.
///
/// Their counters are those that every recording thread changes too, so they are not touched: a launch would wait for them longer than
/// for all else that it does on the host.
fn with_values<'a, R>(
    device: &RocmDevice,
    values: impl Iterator<Item = (&'a Arc<Value>, &'a View)>,
    run: impl FnOnce(&[Operand<'_>]) -> R,
) -> R {
    let borrowed = |(value, view): (&'a Arc<Value>, &'a View)| {
        // SAFETY: the values and `device` live longer than `run`. Nobody drops the storage, and as `run` only sees it behind a
        // reference, nobody else takes it apart.
        (ManuallyDrop::new(unsafe { RocmStorage::borrowed(value, device) }), view)
    };
    let storages: SmallVec<[(ManuallyDrop<RocmStorage>, &View); 4]> = values.map(borrowed).collect();
    let views: SmallVec<[Operand<'_>; 4]> =
        storages.iter().map(|(storage, view)| (&**storage, &***view)).collect();
    run(&views)
}

/// The operations that a launch replaces, among all of their segment: they have the values that it reads and writes.
#[derive(Clone, Copy)]
pub(super) struct Replaced<'a>(pub(super) &'a [Option<Node>]);

impl<'a> Replaced<'a> {
    fn node(self, i: usize) -> Option<&'a Node> {
        self.0.get(i)?.as_ref()
    }

    /// The value that is in that place here.
    pub(super) fn value(self, slot: Slot) -> Option<&'a Arc<Value>> {
        slot.of(|i| self.node(i))
    }

    /// The weights of a product.
    pub(super) fn weights(self, i: usize) -> Option<&'a QMatrix> {
        match &self.node(i)?.operation {
            Operation::QMatMul(weights) => Some(weights),
            _ => None,
        }
    }

    /// Operands as storages, which are there while `run` is. `None` is what `run` declines.
    ///
    /// # Errors
    /// Those of `run`.
    pub(super) fn with_operands<R>(
        self,
        device: &RocmDevice,
        operands: &[Argument],
        run: impl FnOnce(&[Operand<'_>]) -> Result<Option<R>>,
    ) -> Result<Option<R>> {
        let values = operands.iter().map(|(slot, view)| Some((self.value(*slot)?, &**view)));
        let values = values.collect::<Option<SmallVec<[(&Arc<Value>, &View); 4]>>>();
        debug_assert!(values.is_some(), "a launch reads what an operation reads that it replaces");
        values.map_or(Ok(None), |values| with_values(device, values.into_iter(), run))
    }
}
