//! Random schedules: threads run in any order, and find garbage in shared memory.

use std::sync::LazyLock;

use rocm_sys::variable;

use crate::exec::blob;
use crate::exec::launch::Launch;
use crate::exec::loading::Copy;

const SEED: &str = "CANDLE_ROCM_HOST_SEED";

/// The process's seed: given or random, and printed once.
static PROCESS_SEED: LazyLock<u64> = LazyLock::new(|| {
    let seed = variable::number(SEED, "a number").unwrap_or_else(|| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        (now.as_nanos() as u64 ^ u64::from(std::process::id()) << 32) % 1_000_000_007
    });
    eprintln!("candle-rocm-host: random schedule; {SEED}={seed} repeats it");
    seed
});

/// A random number generator (xorshift64*).
pub(crate) struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        // Zero is the one state that it never leaves.
        Self(seed ^ 0x9e37_79b9_7f4a_7c15 | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Shuffles a list (Fisher-Yates).
    pub(crate) fn shuffle<T>(&mut self, list: &mut [T]) {
        for index in (1..list.len()).rev() {
            let other = (self.next() >> 33) as usize % (index + 1);
            list.swap(index, other);
        }
    }
}

pub(crate) struct Schedule {
    pub(crate) random: Random,
}

impl Schedule {
    pub(super) fn new() -> Self {
        Self { random: Random::new(*PROCESS_SEED) }
    }

    /// A schedule that depends on the seed, the kernel, which launch of it this is, and the block: not on which
    /// thread of this process runs it.
    pub(super) fn begin_block(&mut self, launch: &Launch, copy: &Copy, index: u64) {
        let parts = [*PROCESS_SEED, blob::hash(launch.name().as_bytes()), launch.number, index];
        let bytes: Vec<u8> = parts.iter().flat_map(|part| part.to_le_bytes()).collect();
        self.random = Random::new(blob::hash(&bytes));
        let garbage = self.random.next().to_le_bytes();
        let dynamic = (copy.table().dynamic_shared as usize, launch.shared_bytes as usize);
        for (address, size) in launch
            .module
            .variables
            .shared
            .iter()
            .map(|range| (copy.base() + range.start, range.len()))
            .chain([dynamic])
        {
            // SAFETY: shared memory of a copy that belongs to this thread, between two blocks.
            let memory = unsafe { std::slice::from_raw_parts_mut(address as *mut u8, size) };
            memory.iter_mut().zip(garbage.iter().cycle()).for_each(|(byte, garbage)| *byte = *garbage);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shuffles() {
        let mut random = Random::new(0);
        let mut first_places = [0; 4];
        for _ in 0..4000 {
            let mut list = [0, 1, 2, 3];
            random.shuffle(&mut list);
            first_places[list[0]] += 1;
            list.sort_unstable();
            assert_eq!(list, [0, 1, 2, 3]);
        }
        assert!(first_places.iter().all(|count| (800..1200).contains(count)), "{first_places:?}");
    }
}
