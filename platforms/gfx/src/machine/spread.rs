//! The addresses that the lanes of an instruction use.

use super::wave::{LANES, Row, full};
use crate::fault::{Step, Stop};

/// An address: 64 bits, or 32 bits in the LDS.
pub(crate) trait Address: Copy + Default + Ord {
    fn wide(self) -> u64;
    fn narrow(wide: u64) -> Self;
    fn plus(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
}

macro_rules! address {
    ($type:ty) => {
        impl Address for $type {
            #[inline(always)]
            fn wide(self) -> u64 {
                self as u64
            }

            #[inline(always)]
            fn narrow(wide: u64) -> Self {
                wide as Self
            }

            #[inline(always)]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[inline(always)]
            fn and(self, other: Self) -> Self {
                self & other
            }

            #[inline(always)]
            fn or(self, other: Self) -> Self {
                self | other
            }

            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                self ^ other
            }
        }
    };
}

address!(u32);
address!(u64);

/// The addresses of a wave's lanes. Lanes that are off repeat the address of one that is on, so that loops need no conditions.
#[derive(Clone, Copy)]
pub(crate) struct Spread<'a, T> {
    all: &'a [T],
    /// The lanes that are on: at least one.
    pub(crate) mask: u64,
    pub(crate) low: T,
    pub(crate) high: T,
    /// All addresses, or-ed together.
    bits: T,
    /// Whether all lanes are on, and each uses the bytes after those of the lane before it.
    is_run: bool,
}

impl<'a, T: Address> Spread<'a, T> {
    /// The addresses in `all` of the lanes of `mask`, which must not be empty. Each lane uses `size` bytes.
    #[inline(always)]
    pub(crate) fn new(all: &'a mut [T; LANES], lanes: usize, mask: u64, size: usize) -> Self {
        let all = &mut all[..lanes];
        repeat_one(all, mask);
        Self::of(all, mask, size)
    }

    /// Addresses of which those of lanes that are off are repeated.
    #[inline(always)]
    fn of(all: &'a [T], mask: u64, size: usize) -> Self {
        let (first, last) = (all[0], all[all.len() - 1]);
        if mask == full(all.len()) && first <= last && is_contiguous(all, size) {
            return Self {
                all,
                mask,
                low: first,
                high: last,
                bits: first.or(T::narrow(size as u64)),
                is_run: true,
            };
        }
        let (mut low, mut high, mut bits) = (first, first, first);
        for &address in all {
            low = low.min(address);
            high = high.max(address);
            bits = bits.or(address);
        }
        Self { all, mask, low, high, bits, is_run: false }
    }

    /// One for each lane of the wave.
    #[inline(always)]
    pub(crate) fn addresses(&self) -> &'a [T] {
        self.all
    }

    /// The lanes that are on, with their addresses.
    #[inline(always)]
    pub(crate) fn active(&self) -> impl Iterator<Item = (usize, u64)> {
        lanes(self.mask).map(|lane| (lane, self.all[lane].wide()))
    }

    /// Whether every lane is on.
    #[inline(always)]
    pub(crate) fn is_full(&self) -> bool {
        self.mask == full(self.all.len())
    }

    /// Whether all addresses are multiples of `size`, a power of two.
    #[inline(always)]
    pub(crate) fn is_aligned(&self, size: u64) -> bool {
        self.bits.wide() & (size - 1) == 0
    }

    /// The bytes from the lowest address to the end of an access of `size` bytes at the highest.
    #[inline(always)]
    pub(crate) fn extent(&self, size: usize) -> u64 {
        self.high.wide().wrapping_sub(self.low.wide()).saturating_add(size as u64)
    }

    /// Whether all lanes are on, and each uses the bytes after those of the lane before it.
    #[inline(always)]
    pub(crate) fn is_run(&self) -> bool {
        self.is_run
    }

    /// The lanes that are on, but do not use the same `size` bytes as the lane before them, or those that follow.
    #[inline(always)]
    fn starts(&self, size: usize) -> u64 {
        let size = T::narrow(size as u64);
        let mut starts = 1;
        for (at, pair) in self.all.windows(2).enumerate() {
            let is_same = (pair[1] == pair[0]) | (pair[1] == pair[0].plus(size));
            starts |= u64::from(!is_same) << (at + 1);
        }
        // What lanes that are off repeat means nothing.
        (starts | !(self.mask << 1)) & self.mask
    }

    /// Calls `f` with the first byte and the end of what lanes use: lanes that follow each other are one piece. If these are too many,
    /// does nothing but to return `false`.
    #[inline(always)]
    pub(crate) fn runs(&self, size: usize, mut f: impl FnMut(u64, u64) -> Step) -> Result<bool, Box<Stop>> {
        if self.is_run {
            f(self.low.wide(), self.high.wide() + size as u64)?;
            return Ok(true);
        }
        let mut starts = if self.low == self.high { self.mask } else { self.starts(size) };
        if self.low == self.high {
            starts &= starts.wrapping_neg();
        } else if starts.count_ones() as usize > self.all.len() / 4 {
            return Ok(false);
        }
        while starts != 0 {
            let start = starts.trailing_zeros() as usize % LANES;
            starts &= starts.wrapping_sub(1);
            // The lanes before the next start.
            let lanes = self.mask & (starts & starts.wrapping_neg()).wrapping_sub(1);
            let last = 63 - lanes.leading_zeros() as usize % LANES;
            f(self.all[start].wide(), self.all[last].wide() + size as u64)?;
        }
        Ok(true)
    }
}

impl<'a> Spread<'a, u64> {
    /// The addresses `base` plus an offset, which are put into `all`.
    #[inline(always)]
    pub(crate) fn with_base(
        all: &'a mut [u64; LANES],
        base: u64,
        offsets: &[u32],
        mask: u64,
        size: usize,
    ) -> Self {
        let (lanes, mut own) = (offsets.len(), None);
        let offsets = repeated(offsets, mask, &mut own);
        let at = Spread::of(offsets, mask, size);
        let mut bits = 0;
        for (address, &offset) in all.iter_mut().zip(offsets) {
            *address = base.wrapping_add(u64::from(offset));
            bits |= offset.wrapping_add(base as u32);
        }
        let [low, high] = [at.low, at.high].map(|offset| base.wrapping_add(u64::from(offset)));
        Self { all: &all[..lanes], mask, low, high, bits: u64::from(bits), is_run: at.is_run }
    }
}

/// Values of 32 or 64 lanes, of which those of lanes that are off are that of the first one that is on; copied to `own`, unless all are
/// on.
#[inline(always)]
pub(crate) fn repeated<'v>(values: &'v [u32], mask: u64, own: &'v mut Option<Row>) -> &'v [u32] {
    if mask == full(values.len()) {
        return values;
    }
    let own = &mut own.insert([0; LANES])[..values.len()];
    own.copy_from_slice(values);
    repeat_one(own, mask);
    own
}

/// Gives lanes that are off the value of the first one that is on.
#[inline(always)]
fn repeat_one<T: Address>(all: &mut [T], mask: u64) {
    assert_ne!(mask, 0, "a lane is on");
    if mask != full(all.len()) {
        let first = all[mask.trailing_zeros() as usize % LANES];
        for (group, values) in all.as_chunks_mut::<32>().0.iter_mut().enumerate() {
            let on = T::narrow(mask >> (group * 32));
            for (lane, value) in values.iter_mut().enumerate() {
                let is_off = on.and(T::narrow(1 << lane)) == T::default();
                *value = if is_off { first } else { *value };
            }
        }
    }
}

/// Whether each address is `size` bytes after the one before it.
#[inline(always)]
fn is_contiguous<T: Address>(all: &[T], size: usize) -> bool {
    let mut differ = T::default();
    let mut next = all[0];
    for &address in all {
        differ = differ.or(address.xor(next));
        next = next.plus(T::narrow(size as u64));
    }
    differ == T::default()
}

/// The lanes of a mask.
#[inline(always)]
pub(crate) fn lanes(mut mask: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = mask.trailing_zeros() as usize;
        mask &= mask.wrapping_sub(1);
        (lane < LANES).then_some(lane)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(addresses: impl Fn(usize) -> u64, mask: u64) -> Vec<(u64, u64)> {
        let mut found = Vec::new();
        let mut all = std::array::from_fn(addresses);
        let spread = Spread::new(&mut all, 64, mask, 4);
        let is_all = spread.runs(4, |start, end| {
            found.push((start, end));
            Ok(())
        });
        assert_eq!(is_all.unwrap(), !found.is_empty());
        found
    }

    #[test]
    fn bounds_are_of_the_lanes_that_are_on() {
        let mut all = std::array::from_fn(|lane| 1000 - lane as u32);
        let spread = Spread::new(&mut all, 32, 0b1100, 4);
        assert_eq!((spread.low, spread.high, spread.extent(4)), (997, 998, 5));
        assert_eq!(spread.active().collect::<Vec<_>>(), [(2, 998), (3, 997)]);
        assert!(spread.addresses().len() == 32 && spread.addresses()[0] == 998);
        assert!(!spread.is_aligned(2) && !spread.is_full());
    }

    #[test]
    fn offsets_from_a_base_are_addresses() {
        let mut random = fastrand::Rng::with_seed(7);
        for round in 0..300 {
            let lanes = [32, 64][round % 2];
            let base = [0, 1 << 40 | 0xffff_ff04, u64::MAX - 300][round % 3];
            let stride = random.u32(..9);
            let mask = (random.u64(..) | random.u64(..) << (round % 7) | 1) & full(lanes);
            let mask = if round % 5 == 0 { full(lanes) } else { mask };
            // Contiguous, strided, or neither; some wrap around in 32 bits.
            let first = if round % 4 == 0 { u32::MAX - 60 } else { random.u32(..) & !3 };
            let noise = if round % 3 == 0 { 0 } else { 12 };
            let offsets: Vec<u32> = (0..lanes as u32)
                .map(|lane| first.wrapping_add(lane * stride + (random.u32(..=noise) & !3)))
                .collect();
            let (mut all, mut expected) = ([0; LANES], [0; LANES]);
            for (address, &offset) in expected.iter_mut().zip(&offsets) {
                *address = base.wrapping_add(u64::from(offset));
            }
            let at = Spread::with_base(&mut all, base, &offsets, mask, 4);
            let expected = Spread::new(&mut expected, lanes, mask, 4);
            assert_eq!((at.all, at.mask, at.is_run), (expected.all, mask, expected.is_run), "{round}");
            assert_eq!(
                [2, 4, 8].map(|size| at.is_aligned(size)),
                [2, 4, 8].map(|size| expected.is_aligned(size))
            );
            // Beyond the end of all addresses nothing is in bounds.
            if base.checked_add(u64::from(*offsets.iter().max().unwrap())).is_some() {
                assert_eq!((at.low, at.high), (expected.low, expected.high), "{round}");
            }
        }
    }

    #[test]
    fn lanes_that_follow_each_other_are_one_piece() {
        assert_eq!(runs(|lane| 64 + lane as u64 * 4, u64::MAX), [(64, 320)]);
        assert_eq!(runs(|_| 64, u64::MAX), [(64, 68)]);
        assert_eq!(runs(|lane| 64 + lane as u64 * 8, u64::MAX), []);
        assert_eq!(runs(|lane| 64 + lane as u64 / 2 * 4, u64::MAX), [(64, 192)]);
        assert_eq!(
            runs(|lane| 64 + lane as u64 * 4 + lane as u64 / 32 * 64, u64::MAX),
            [(64, 192), (256, 384)]
        );
        assert_eq!(runs(|lane| 1024 - lane as u64 * 4, 0b111), [(1024, 1028), (1020, 1024), (1016, 1020)]);
        assert_eq!(runs(|lane| 64 + lane as u64 * 4, 0b1111_0110), [(68, 76), (80, 96)]);
        let places = |lane: usize| [64, 68, 256, 260, 0, 72][lane.min(5)];
        assert_eq!(runs(places, 0b10_1111), [(64, 72), (256, 264), (72, 76)]);
    }
}
