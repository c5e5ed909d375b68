//! The pool's bookkeeping: which memory is in use, which is cached, what to give back. Knows addresses and sizes only,
//! makes no call.
//!
//! - Sizes are rounded up to classes of an eighth of a power of two, from 512 bytes on, in steps of at least 256 bytes,
//!   so that every block is aligned to 256 bytes and at most an eighth is wasted (more below 2 KiB).
//! - Blocks up to 32 KiB are cut from slabs of 64 blocks of one class: thousands of small tensors cost few device
//!   allocations. A slab goes back to the device as a whole, when none of its blocks is in use.
//! - Larger blocks are device allocations of their own, in a free list per class, taken newest first.
//! - What can be given back is given back oldest first once it exceeds the cap.

use std::collections::VecDeque;

/// Largest class that is cut from slabs.
const SMALL: usize = 32 << 10;
const SMALLEST: usize = 512;
/// Every block is aligned to this.
const STEP: usize = 256;
const BLOCKS_PER_SLAB: usize = 64;
/// Larger requests cannot be served by any device and would overflow the arithmetic.
pub(crate) const LARGEST: usize = 1 << 56;
/// Classes of 512 bytes to 2^56 bytes.
const CLASSES: usize = 8 * (56 - 9 + 1);

/// A piece of device memory that the pool handed out, or null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) address: u64,
    /// The class size, not the size asked for.
    pub(crate) bytes: usize,
    home: Home,
}

/// Where a block belongs: the slab's index and the block's number in it, or what it is instead. One word, because blocks are
/// moved by words: two halves written apart would stall each move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Home(u64);

impl Home {
    /// A device allocation of its own, cached after use.
    const LARGE: Self = Self(u64::MAX);
    /// A device allocation of its own, of an exact size (the last resort of a full device): not cached.
    const EXACT: Self = Self(u64::MAX - 1);

    fn slab(index: u32, slot: u32) -> Self {
        Self(u64::from(index) * BLOCKS_PER_SLAB as u64 + u64::from(slot))
    }

    fn index(self) -> u32 {
        (self.0 / BLOCKS_PER_SLAB as u64) as u32
    }

    fn slot(self) -> u32 {
        (self.0 % BLOCKS_PER_SLAB as u64) as u32
    }
}

impl Block {
    pub(crate) const NULL: Self = Self { address: 0, bytes: 0, home: Home::LARGE };

    /// Memory that no pool handed out, nor takes back.
    pub(crate) fn not_of_a_pool(address: u64, bytes: usize) -> Self {
        Self { address, bytes, home: Home::EXACT }
    }
}

/// What has to be asked of the device when no cached block fits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// A slab of so many bytes for blocks of this class.
    Slab { bytes: usize, class: usize },
    /// One block of so many bytes.
    Block { bytes: usize },
}

impl Need {
    pub(crate) fn bytes(self) -> usize {
        match self {
            Self::Slab { bytes, .. } | Self::Block { bytes } => bytes,
        }
    }
}

#[derive(Debug)]
struct Slab {
    address: u64,
    /// Size of a block.
    block: usize,
    /// A bit per block; set means free.
    free: u64,
    /// When the last block came back (meaningful while all are free).
    tick: u64,
}

impl Slab {
    fn bytes(&self) -> usize {
        self.block * BLOCKS_PER_SLAB
    }

    fn is_empty(&self) -> bool {
        self.free == u64::MAX
    }
}

/// Statistics of a pool. All sizes are in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolStats {
    /// Bytes in use by buffers, rounded up to their size classes.
    pub allocated: usize,
    /// The peak of `allocated`.
    pub allocated_peak: usize,
    /// Bytes allocated from the device, in use or cached.
    pub reserved: usize,
    /// The part of `reserved` that is in the machine's memory: see [`Device::memory`](crate::Device::memory).
    pub system: usize,
    /// The peak of `reserved`.
    pub reserved_peak: usize,
    /// The part of `reserved - allocated` that could be released to the device now. Does not exceed the cap.
    pub cached: usize,
    /// Live buffers, without empty ones, which have no memory.
    pub buffers: usize,
    /// Allocations served from the cache.
    pub hits: u64,
    /// Allocations for which the device had to be asked.
    pub misses: u64,
    /// Device allocations made.
    pub device_allocations: u64,
    /// Device allocations released.
    pub device_frees: u64,
    /// How often the device ran out of memory, so that caches were emptied before another attempt.
    pub out_of_memory_flushes: u64,
}

/// See the module's doc.
#[derive(Debug)]
pub(crate) struct SizeClasses {
    /// By class: slabs with a free block.
    partial: Vec<Vec<u32>>,
    slabs: Vec<Option<Slab>>,
    vacant: Vec<u32>,
    /// By class: free blocks with the time they came back, oldest first.
    large: Vec<VecDeque<(u64, u64)>>,
    clock: u64,
    pub(crate) cap: usize,
    pub(crate) stats: PoolStats,
}

/// The size class that serves `bytes`: its index and size.
pub(crate) fn class_of(bytes: usize) -> (usize, usize) {
    debug_assert!(bytes <= LARGEST);
    let bytes = bytes.max(SMALLEST);
    let step = (1 << (bytes.ilog2() - 3)).max(STEP);
    // A power of two: `next_multiple_of` would divide.
    let size = (bytes + step - 1) & !(step - 1);
    let power = size.ilog2();
    let eighth = (size - (1 << power)) >> (power - 3);
    ((power as usize - 9) * 8 + eighth, size)
}

impl SizeClasses {
    pub(crate) fn new(cap: usize) -> Self {
        let small_classes = class_of(SMALL).0 + 1;
        Self {
            partial: vec![Vec::new(); small_classes],
            slabs: Vec::new(),
            vacant: Vec::new(),
            large: vec![VecDeque::new(); CLASSES],
            clock: 0,
            cap,
            stats: PoolStats::default(),
        }
    }

    /// Whether a block of at least `bytes` takes more memory than was ever in use, or than is cached.
    #[inline]
    pub(crate) fn would_grow(&self, bytes: usize) -> bool {
        let (class, size) = class_of(bytes);
        let cached =
            if size <= SMALL { !self.partial[class].is_empty() } else { !self.large[class].is_empty() };
        !cached || self.stats.allocated + size > self.stats.allocated_peak
    }

    /// A block of at least `bytes` from the cache, or what to ask the device for.
    #[inline]
    pub(crate) fn take(&mut self, bytes: usize) -> Result<Block, Need> {
        let (class, size) = class_of(bytes);
        if size <= SMALL {
            let Some(&index) = self.partial[class].last() else {
                return Err(Need::Slab { bytes: size * BLOCKS_PER_SLAB, class });
            };
            self.stats.hits += 1;
            return Ok(self.take_from_slab(class, index, size));
        }
        let Some((address, _)) = self.large[class].pop_back() else {
            return Err(Need::Block { bytes: size });
        };
        self.stats.hits += 1;
        self.stats.cached -= size;
        Ok(self.hand_out(Block { address, bytes: size, home: Home::LARGE }))
    }

    #[inline]
    fn take_from_slab(&mut self, class: usize, index: u32, size: usize) -> Block {
        // A slab listed as partial exists and has a free block.
        let Some(slab) = self.slabs[index as usize].as_mut() else { return Block::NULL };
        if slab.is_empty() {
            self.stats.cached -= slab.bytes();
        }
        let slot = slab.free.trailing_zeros();
        slab.free &= slab.free - 1;
        let address = slab.address + u64::from(slot) * size as u64;
        if slab.free == 0 {
            self.partial[class].pop();
        }
        self.hand_out(Block { address, bytes: size, home: Home::slab(index, slot) })
    }

    /// Takes up memory that the device gave for `need`, and hands a block of it out.
    pub(crate) fn adopt(&mut self, need: Need, address: u64) -> Block {
        self.reserve(need.bytes());
        match need {
            Need::Block { bytes } => self.hand_out(Block { address, bytes, home: Home::LARGE }),
            Need::Slab { bytes, class } => {
                let slab = Slab { address, block: bytes / BLOCKS_PER_SLAB, free: u64::MAX, tick: self.clock };
                let size = slab.block;
                let index = match self.vacant.pop() {
                    Some(index) => {
                        self.slabs[index as usize] = Some(slab);
                        index
                    }
                    None => {
                        self.slabs.push(Some(slab));
                        (self.slabs.len() - 1) as u32
                    }
                };
                self.stats.cached += bytes;
                self.partial[class].push(index);
                self.take_from_slab(class, index, size)
            }
        }
    }

    /// Takes up memory of an exact size, which goes back to the device when it is dropped.
    pub(crate) fn adopt_exact(&mut self, bytes: usize, address: u64) -> Block {
        self.reserve(bytes);
        self.hand_out(Block { address, bytes, home: Home::EXACT })
    }

    fn reserve(&mut self, bytes: usize) {
        self.stats.misses += 1;
        self.stats.device_allocations += 1;
        self.stats.reserved += bytes;
        self.stats.reserved_peak = self.stats.reserved_peak.max(self.stats.reserved);
    }

    fn hand_out(&mut self, block: Block) -> Block {
        self.stats.buffers += 1;
        self.stats.allocated += block.bytes;
        self.stats.allocated_peak = self.stats.allocated_peak.max(self.stats.allocated);
        block
    }

    /// Takes a block back. True: call [`SizeClasses::trim`], something must go back to the device.
    #[must_use]
    pub(crate) fn put(&mut self, block: Block, surplus: &mut Option<u64>) -> bool {
        self.stats.buffers -= 1;
        self.stats.allocated -= block.bytes;
        self.clock += 1;
        match block.home {
            Home::EXACT => {
                self.stats.reserved -= block.bytes;
                self.stats.device_frees += 1;
                *surplus = Some(block.address);
            }
            Home::LARGE => {
                let (class, _) = class_of(block.bytes);
                self.large[class].push_back((block.address, self.clock));
                self.stats.cached += block.bytes;
            }
            home => {
                let (index, slot) = (home.index(), home.slot());
                // The block keeps its slab alive: a slab is released only when all its blocks are free.
                if let Some(slab) = self.slabs[index as usize].as_mut() {
                    if slab.free == 0 {
                        self.partial[class_of(slab.block).0].push(index);
                    }
                    debug_assert_eq!(slab.free & (1 << slot), 0, "a block came back twice");
                    slab.free |= 1 << slot;
                    if slab.is_empty() {
                        slab.tick = self.clock;
                        self.stats.cached += slab.bytes();
                    }
                }
            }
        }
        self.stats.cached > self.cap
    }

    /// Takes the oldest cached memory off the free lists until at most `keep` bytes of it are left; the caller frees it.
    pub(crate) fn trim(&mut self, keep: usize) -> Vec<u64> {
        let mut released = Vec::new();
        while self.stats.cached > keep {
            let slab = (self.slabs.iter().enumerate())
                .filter_map(|(index, slab)| slab.as_ref().filter(|s| s.is_empty()).map(|s| (s.tick, index)))
                .min();
            let large = (self.large.iter().enumerate())
                .filter_map(|(class, list)| list.front().map(|&(_, tick)| (tick, class)))
                .min();
            let slab_first = match (slab, large) {
                (Some((slab, _)), Some((large, _))) => slab < large,
                (slab, _) => slab.is_some(),
            };
            let (address, bytes) = if slab_first {
                let Some((_, index)) = slab else { break };
                let Some(slab) = self.slabs[index].take() else { break };
                let index = index as u32;
                self.vacant.push(index);
                self.partial[class_of(slab.block).0].retain(|&other| other != index);
                (slab.address, slab.bytes())
            } else {
                let Some((_, class)) = large else { break };
                let Some((address, _)) = self.large[class].pop_front() else { break };
                (address, size_of_class(class))
            };
            self.stats.cached -= bytes;
            self.stats.reserved -= bytes;
            self.stats.device_frees += 1;
            released.push(address);
        }
        released
    }

    /// Forgets earlier peaks.
    pub(crate) fn reset_peaks(&mut self) {
        self.stats.allocated_peak = self.stats.allocated;
        self.stats.reserved_peak = self.stats.reserved;
    }
}

fn size_of_class(class: usize) -> usize {
    let power = class / 8 + 9;
    (1 << power) + ((class % 8) << (power - 3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_hold_their_sizes_with_little_waste() {
        for bytes in (0..5000).chain((0..2000).map(|i| i * 7919)).chain((9..56).map(|p| (1 << p) + 1)) {
            let (class, size) = class_of(bytes);
            assert!(size >= bytes && size % STEP == 0, "{bytes} -> {size}");
            assert_eq!(size_of_class(class), size);
            assert_eq!(class_of(size), (class, size), "a class serves its own size");
            if bytes >= 2048 {
                assert!(size - bytes < bytes.div_ceil(8), "{bytes} -> {size}");
            }
        }
        assert_eq!(class_of(0).1, 512);
        assert_eq!(class_of(513).1, 768);
        assert_eq!(class_of(1 << 20), class_of((1 << 20) - 1));
        assert!(class_of(LARGEST).0 < CLASSES);
    }

    #[test]
    fn the_oldest_memory_goes_back_first() {
        let mut classes = SizeClasses::new(usize::MAX);
        let mut blocks = Vec::new();
        for (i, kib) in [64, 128, 256, 512].into_iter().enumerate() {
            let need = classes.take(kib << 10).unwrap_err();
            blocks.push(classes.adopt(need, 1 + i as u64));
        }
        for i in [2, 0, 3, 1] {
            assert!(!classes.put(blocks[i], &mut None));
        }
        assert_eq!(classes.stats.cached, 960 << 10);
        assert_eq!(classes.trim(700 << 10), [3, 1]);
        assert_eq!(classes.trim(0), [4, 2]);
        assert_eq!((classes.stats.reserved, classes.stats.cached, classes.stats.allocated), (0, 0, 0));
    }

    #[test]
    fn a_slab_goes_back_as_a_whole_when_nothing_of_it_is_used() {
        let mut classes = SizeClasses::new(usize::MAX);
        let need = classes.take(1000).unwrap_err();
        assert_eq!(need.bytes(), 64 << 10);
        let mut blocks = vec![classes.adopt(need, 1 << 20)];
        while let Ok(block) = classes.take(1000) {
            blocks.push(block);
        }
        assert_eq!(blocks.len(), 64, "then the slab is full");
        let last = blocks.pop();
        for block in blocks {
            assert!(!classes.put(block, &mut None));
        }
        assert!(classes.trim(0).is_empty(), "one block is in use");
        assert!(!classes.put(last.unwrap_or(Block::NULL), &mut None));
        assert_eq!(classes.trim(0), [1 << 20]);
        assert!(classes.take(1000).is_err(), "and it is not handed out again");
    }
}
