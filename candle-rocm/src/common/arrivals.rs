//! Counters of blocks that are done, for kernels whose last one finishes what the others began (`common/last_block.h`).

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::hip::Buffer;
use crate::{Result, RocmDevice};

/// Counters of a device, made when first needed. Each launch finds zeros and leaves zeros, and launches are on one stream.
#[derive(Default)]
pub(crate) struct Arrivals(Mutex<Option<Buffer<u32>>>);

/// While a launch is put on the stream.
pub(crate) struct Guard<'d>(MutexGuard<'d, Option<Buffer<u32>>>);

impl Arrivals {
    pub(crate) fn of(device: &RocmDevice) -> Guard<'_> {
        Guard(device.extension::<Self>().0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Guard<'_> {
    /// At least so many.
    ///
    /// # Errors
    /// [`HipError::OutOfMemory`](crate::hip::HipError::OutOfMemory).
    pub(crate) fn counters(&mut self, device: &RocmDevice, least: usize) -> Result<&mut Buffer<u32>> {
        const FEWEST: usize = 1024;
        let counters = match self.0.take() {
            Some(counters) if counters.len() >= least => counters,
            _ => device.alloc_zeros(least.next_power_of_two().max(FEWEST))?,
        };
        Ok(self.0.insert(counters))
    }
}
