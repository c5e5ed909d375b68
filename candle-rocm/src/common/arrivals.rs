//! Counters of blocks that are done, for kernels whose last one finishes what the others began (`common/last_block.h`).

use std::sync::MutexGuard;

use crate::hip::Buffer;
use crate::lock::{self, Mutex};
use crate::{Result, RocmDevice};

/// Counters of a device, made when first needed. Each launch finds zeros and leaves zeros, and launches are on one stream.
#[derive(Default)]
pub(crate) struct Arrivals(Mutex<Option<Buffer<u32>>, lock::Arrivals>);

/// While a launch is put on the stream.
pub(crate) struct Guard<'d>(lock::Guard<MutexGuard<'d, Option<Buffer<u32>>>>);

impl Arrivals {
    /// At least so many.
    ///
    /// # Errors
    /// [`HipError::OutOfMemory`](crate::hip::HipError::OutOfMemory).
    pub(crate) fn of(device: &RocmDevice, least: usize) -> Result<Guard<'_>> {
        const FEWEST: usize = 1024;
        let arrivals = &device.extension::<Self>().0;
        let are_enough =
            |counters: &Option<Buffer<u32>>| counters.as_ref().is_some_and(|all| all.len() >= least);
        let mut counters = arrivals.lock();
        if !are_enough(&counters) {
            // Without the lock: an allocation may drop what others made.
            drop(counters);
            let new = device.alloc_zeros(least.next_power_of_two().max(FEWEST))?;
            counters = arrivals.lock();
            if !are_enough(&counters) {
                *counters = Some(new);
            }
        }
        Ok(Guard(counters))
    }
}

impl Guard<'_> {
    pub(crate) fn counters(&mut self) -> Option<&mut Buffer<u32>> {
        self.0.as_mut()
    }
}
