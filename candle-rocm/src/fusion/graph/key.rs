//! What rules look at, as words.

use candle_core::DType;

use super::{Graph, Recordable};

/// Operations that are part of no launch yet, as far as rules see them: equal keys have equal plans.
///
/// Of operations that are, it has what others read of them, and in whose place they run.
pub(in crate::fusion) type Key = Box<[u64]>;

/// A word for each of them, and more for most operations.
const WORDS: usize = 32;

impl<O: Recordable> Graph<'_, O> {
    /// The operations from `end` on stay.
    pub(in crate::fusion) fn key(&self, end: usize) -> Key {
        let mut words = Vec::with_capacity(WORDS * self.len());
        words.extend([self.len() as u64, end as u64]);
        for (entry, uses) in self.entries.iter().zip(&self.uses) {
            let is_read = uses.held || !uses.readers.is_empty();
            words.push(u64::from(is_read) | u64::from(uses.free) << 1 | u64::from(uses.held) << 2);
            if uses.free {
                entry.operation.write_key(&mut words);
                words.extend([dtype(entry.result.dtype), entry.result.len as u64]);
            } else {
                words.push(uses.place as u64);
            }
            words.push(if is_read { entry.operands.len() as u64 } else { 0 });
            for (slot, view) in entry.operands.iter().filter(|_| is_read) {
                words.push(slot.number.into());
                if uses.free {
                    let (dims, strides) = (view.dims(), view.stride());
                    words.extend([dtype(slot.dtype), slot.len as u64, view.start_offset() as u64]);
                    words.extend([dims.len() as u64, strides.len() as u64]);
                    words.extend(dims.iter().chain(strides).map(|&size| size as u64));
                }
            }
        }
        words.into()
    }
}

fn dtype(dtype: DType) -> u64 {
    dtype as u64
}
