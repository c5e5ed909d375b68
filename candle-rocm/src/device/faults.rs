//! Indices that kernels found out of range.
//!
//! A kernel cannot return an error, and looking at the indices beforehand would mean waiting for them. So kernels leave
//! such elements out, write the index down, and the next call that waits for the device anyway reports it.

use std::sync::OnceLock;
use std::sync::atomic::Ordering;

use crate::error::{Result, RocmError};
use crate::hip::{Device, DevicePtr, PinnedWords};

/// Operations that take indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IndexedOp {
    IndexSelect,
    Gather,
    ScatterSet,
    ScatterAdd,
    IndexAdd,
    QuantizedRows,
    Experts,
}

impl IndexedOp {
    const ALL: [Self; 7] = [
        Self::IndexSelect,
        Self::Gather,
        Self::ScatterSet,
        Self::ScatterAdd,
        Self::IndexAdd,
        Self::QuantizedRows,
        Self::Experts,
    ];

    /// For messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::IndexSelect => "index_select",
            Self::Gather => "gather",
            Self::ScatterSet => "scatter_set",
            Self::ScatterAdd => "scatter_add_set",
            Self::IndexAdd => "index_add",
            Self::QuantizedRows => "quantized embedding",
            Self::Experts => "indexed_moe_forward",
        }
    }
}

/// Two words per operation: the index, then the size of the dimension, which is [`NONE`] while nothing happened.
const WORDS: usize = 2 * IndexedOp::ALL.len();
const NONE: u64 = u64::MAX;

/// Made when first needed.
#[derive(Debug, Default)]
pub(super) struct Faults(OnceLock<PinnedWords<WORDS>>);

impl Faults {
    /// Where a kernel of the operation writes an index and the size of the dimension.
    pub(super) fn slot(&self, device: Device, op: IndexedOp) -> Result<DevicePtr> {
        let words = match self.0.get() {
            Some(words) => words,
            None => {
                let new = PinnedWords::new(device, NONE)?;
                self.0.get_or_init(|| new)
            }
        };
        Ok(words.as_ptr().byte_add(2 * op as usize * size_of::<u64>()))
    }

    /// What kernels wrote that the host has waited for: one of the indices, as an error. The others are forgotten.
    pub(super) fn check(&self, device: Device) -> Result<()> {
        let Some(words) = self.0.get() else { return Ok(()) };
        let mut first = Ok(());
        for (op, [index, size]) in IndexedOp::ALL.into_iter().zip(words.words().as_chunks().0) {
            if size.load(Ordering::Relaxed) == NONE {
                continue;
            }
            let (size, index) = (size.swap(NONE, Ordering::Relaxed), index.load(Ordering::Relaxed) as i64);
            first = first.and(Err(RocmError::IndexOutOfRange {
                op: op.name(),
                index,
                size: size as usize,
                device: device.to_string(),
            }));
        }
        first
    }
}
