//! Long uploads: in parts, which several threads fill at once, and in batches of parts, of which each is copied when all of it is there.
//!
//! Parts are small, so that all threads have some of a single matrix. Copies are of many parts, as each takes the driver some time.

use std::ops::Range;
use std::slice;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::fill::Fill;
use super::helpers;
use crate::lock::Mutex;
use crate::{HipError, Result, trace};

/// What a thread fills at once.
const PART: usize = 256 << 10;
/// Parts and batches end at multiples of this.
const PAGE: usize = 4 << 10;

/// Fills `count` bytes, in batches of `most` at most, a multiple of a page. `open` gives the memory for the batch that starts there, and
/// what holds it; `close` is called with that when the batch's bytes are written. If anything fails, the first error is returned, and
/// batches that are not full are dropped.
///
/// # Panics
/// As `fill` does.
pub(crate) fn in_batches<T: Send>(
    count: usize,
    most: usize,
    fill: Fill<'_>,
    open: &(dyn Fn(usize) -> Result<(Address, T)> + Sync),
    close: &(dyn Fn(T, Range<usize>) -> Result<()> + Sync),
) -> Result<()> {
    let plan = Plan::new(count, most);
    match fill {
        Fill::InOrder(fill) => (0..plan.batches).try_for_each(|index| {
            let range = plan.batch_at(index);
            let (memory, held) = open(range.start)?;
            // SAFETY: the memory is for the batch, and only used here.
            let bytes = unsafe { slice::from_raw_parts_mut(memory.0, range.len()) };
            fill(bytes).map_err(HipError::Fill)?;
            close(held, range)
        }),
        Fill::AnyOrder(fill) => {
            let batches: Vec<_> = (0..plan.batches).map(|index| Batch::new(plan.parts_of(index))).collect();
            let (next, failed) = (AtomicUsize::new(0), Mutex::<Option<HipError>>::default());
            let one = |index: usize| {
                let (number, part) = (index / plan.per_batch, plan.part_at(index));
                let (batch, range) = (&batches[number], plan.batch_at(number));
                let Some(memory) = batch.open(|| open(range.start))? else { return Ok(()) };
                // SAFETY: the memory is for the batch; nobody else has this part of it.
                let bytes =
                    unsafe { slice::from_raw_parts_mut(memory.0.add(part.start - range.start), part.len()) };
                fill(part.start, bytes).map_err(HipError::Fill)?;
                // Whoever fills the last part sees what the others wrote.
                if batch.left.fetch_sub(1, Ordering::AcqRel) != 1 {
                    return Ok(());
                }
                let held = batch.held.lock().take();
                held.map_or(Ok(()), |held| close(held, range))
            };
            let work = || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    if index >= plan.parts {
                        return;
                    }
                    if let Err(error) = one(index) {
                        next.store(plan.parts, Ordering::Relaxed);
                        failed.lock().get_or_insert(error);
                    }
                }
            };
            // What several threads queue at once has no times of its own.
            if plan.parts == 1 || trace::is_on() {
                work()
            } else {
                helpers::together(&work)
            }
            failed.lock().take().map_or(Ok(()), Err)
        }
    }
}

/// Where batches and their parts begin and end.
struct Plan {
    count: usize,
    batch: usize,
    batches: usize,
    part: usize,
    /// Parts of a batch, but for the last one.
    per_batch: usize,
    /// Parts of all.
    parts: usize,
}

impl Plan {
    fn new(count: usize, most: usize) -> Self {
        let even = |count: usize, most: usize| count.div_ceil(count.div_ceil(most)).next_multiple_of(PAGE);
        let batch = even(count, most);
        let part = even(batch, PART);
        let (batches, per_batch) = (count.div_ceil(batch), batch.div_ceil(part));
        let last = (count - (batches - 1) * batch).div_ceil(part);
        Self { count, batch, batches, part, per_batch, parts: (batches - 1) * per_batch + last }
    }

    fn batch_at(&self, index: usize) -> Range<usize> {
        let start = index * self.batch;
        start..self.count.min(start + self.batch)
    }

    fn parts_of(&self, batch: usize) -> usize {
        self.per_batch.min(self.parts - batch * self.per_batch)
    }

    fn part_at(&self, index: usize) -> Range<usize> {
        let batch = self.batch_at(index / self.per_batch);
        let start = batch.start + index % self.per_batch * self.part;
        start..batch.end.min(start + self.part)
    }
}

/// Where a batch is written. Any thread may use it.
#[derive(Clone, Copy)]
pub(crate) struct Address(pub(crate) *mut u8);

// SAFETY: an address.
unsafe impl Send for Address {}
// SAFETY: as above.
unsafe impl Sync for Address {}

impl Address {
    /// # Safety
    /// The memory has that many bytes.
    pub(crate) unsafe fn at(self, start: usize) -> Self {
        // SAFETY: the caller's.
        Self(unsafe { self.0.add(start) })
    }
}

struct Batch<T> {
    /// `None` where that failed.
    memory: OnceLock<Option<Address>>,
    held: Mutex<Option<T>>,
    /// Parts that are not filled yet.
    left: AtomicUsize,
}

impl<T> Batch<T> {
    fn new(parts: usize) -> Self {
        Self { memory: OnceLock::new(), held: Mutex::default(), left: AtomicUsize::new(parts) }
    }

    /// The memory of the batch, which the first to ask for it opens; the others wait. The error is the first one's.
    fn open(&self, open: impl FnOnce() -> Result<(Address, T)>) -> Result<Option<Address>> {
        let mut failed = None;
        let memory = self.memory.get_or_init(|| match open() {
            Ok((memory, held)) => {
                *self.held.lock() = Some(held);
                Some(memory)
            }
            Err(error) => {
                failed = Some(error);
                None
            }
        });
        failed.map_or(Ok(*memory), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each byte is in one part of one batch.
    #[test]
    fn parts_are_all_of_it() {
        for most in [PAGE, 3 * PAGE, PART, 4 << 20] {
            for count in [1, PAGE - 1, PAGE, PAGE + 1, PART + 1, (4 << 20) + 1, 9_437_184, 33_554_435] {
                let plan = Plan::new(count, most);
                let mut end = 0;
                for index in 0..plan.parts {
                    let (part, batch) = (plan.part_at(index), plan.batch_at(index / plan.per_batch));
                    assert!(part.start == end && !part.is_empty() && part.len() <= PART, "{count} {most}");
                    assert!(batch.start <= part.start && part.end <= batch.end && batch.len() <= most);
                    end = part.end;
                }
                assert_eq!(end, count, "{most}");
                let parts: usize = (0..plan.batches).map(|batch| plan.parts_of(batch)).sum();
                assert_eq!(parts, plan.parts, "{count} {most}");
            }
        }
    }
}
