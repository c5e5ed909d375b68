//! What the memory accesses of a launch amount to.

use super::spread::Spread;

/// The accesses of one instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Traffic {
    /// How often a wave executed it with a lane on.
    pub(crate) accesses: u64,
    /// Bytes that it needed, those that several lanes share counted once for each access.
    pub(crate) bytes: u64,
    /// Lines of 64 and of 128 bytes that it touched, in global memory.
    pub(crate) lines: [u64; 2],
    /// Turns that the LDS took: in each, every one of its 32 banks of 4 bytes serves one word. The lanes of half a wave of 64, or of
    /// a wave of 32, are served together.
    pub(crate) turns: u64,
    /// Turns that it would have taken without two words of a bank among those that are served together.
    pub(crate) least_turns: u64,
}

impl Traffic {
    fn add(&mut self, other: &Self) {
        self.accesses += other.accesses;
        self.bytes += other.bytes;
        self.lines[0] += other.lines[0];
        self.lines[1] += other.lines[1];
        self.turns += other.turns;
        self.least_turns += other.least_turns;
    }
}

const BANKS: usize = 32;

/// The accesses of each instruction, by its index.
#[derive(Clone, Debug, Default)]
pub(crate) struct Statistics {
    pub(crate) traffic: Vec<Traffic>,
}

impl Statistics {
    /// For code of so many instructions.
    #[cfg(test)]
    fn new(instructions: usize) -> Self {
        Self { traffic: vec![Traffic::default(); instructions] }
    }

    /// Adds those of another workgroup.
    pub(crate) fn add(&mut self, other: &Self) {
        self.traffic.resize(self.traffic.len().max(other.traffic.len()), Traffic::default());
        self.traffic.iter_mut().zip(&other.traffic).for_each(|(sum, traffic)| sum.add(traffic));
    }

    /// Counts an access of `size` bytes by each lane to global memory.
    pub(crate) fn global(&mut self, instruction: usize, at: &Spread<'_, u64>, size: usize) {
        let mut pieces: Vec<_> =
            at.active().map(|(_, address)| (address, address.saturating_add(size as u64))).collect();
        pieces.sort_unstable();
        self.record(
            instruction,
            &Traffic {
                accesses: 1,
                bytes: distinct(&pieces, 1),
                lines: [distinct(&pieces, 64), distinct(&pieces, 128)],
                ..Traffic::default()
            },
        );
    }

    /// Counts an access of `size` bytes by each lane to the LDS.
    pub(crate) fn local(&mut self, instruction: usize, at: &Spread<'_, u32>, size: usize) {
        let mut traffic = Traffic { accesses: 1, ..Traffic::default() };
        for half in [0..32, 32..64] {
            let mut pieces: Vec<_> = at
                .active()
                .filter(|(lane, _)| half.contains(lane))
                .map(|(_, address)| (address, address.saturating_add(size as u64)))
                .collect();
            pieces.sort_unstable();
            let mut banks = [0; BANKS];
            let mut words: Vec<u64> =
                pieces.iter().flat_map(|(start, end)| start / 4..end.div_ceil(4)).collect();
            words.sort_unstable();
            words.dedup();
            words.iter().for_each(|word| banks[*word as usize % BANKS] += 1);
            traffic.bytes += distinct(&pieces, 1);
            traffic.turns += banks.into_iter().max().unwrap_or(0);
            traffic.least_turns += words.len().div_ceil(BANKS) as u64;
        }
        self.record(instruction, &traffic);
    }

    fn record(&mut self, instruction: usize, traffic: &Traffic) {
        if self.traffic.len() <= instruction {
            self.traffic.resize(instruction + 1, Traffic::default());
        }
        self.traffic[instruction].add(traffic);
    }
}

/// How many units of `unit` bytes some pieces of memory touch, which are in order of their addresses.
fn distinct(pieces: &[(u64, u64)], unit: u64) -> u64 {
    let (mut count, mut counted) = (0, 0);
    for &(start, end) in pieces {
        let (first, last) = ((start / unit).max(counted), end.div_ceil(unit));
        count += last.saturating_sub(first);
        counted = counted.max(last);
    }
    count
}

#[cfg(test)]
mod tests {
    use super::super::wave::{Row, Row64};
    use super::*;

    #[test]
    fn lines() {
        let mut statistics = Statistics::new(3);
        let mut global = |at: usize, size: usize, addresses: fn(usize) -> u64| {
            let mut all: Row64 = std::array::from_fn(addresses);
            statistics.global(at, &Spread::new(&mut all, 64, u64::MAX), size);
        };
        global(1, 4, |lane| 4096 + lane as u64 * 4);
        global(2, 8, |lane| 4096 + lane as u64 * 256);
        global(2, 4, |_| 4096 + 62);
        let traffic = |at: usize| (statistics.traffic[at].bytes, statistics.traffic[at].lines);
        assert_eq!(traffic(1), (256, [4, 2]));
        assert_eq!(traffic(2), (512 + 4, [64 + 2, 64 + 1]));
        assert_eq!((statistics.traffic[2].accesses, statistics.traffic[0]), (2, Traffic::default()));
    }

    #[test]
    fn banks() {
        let turns = |addresses: fn(usize) -> u32, size: usize| {
            let mut statistics = Statistics::new(1);
            let mut all: Row = std::array::from_fn(addresses);
            statistics.local(0, &Spread::new(&mut all, 64, u64::MAX), size);
            (statistics.traffic[0].turns, statistics.traffic[0].least_turns)
        };
        assert_eq!(turns(|lane| lane as u32 * 4, 4), (2, 2));
        assert_eq!(turns(|_| 8, 4), (2, 2), "the same word");
        assert_eq!(turns(|lane| lane as u32 * 8, 4), (4, 2));
        assert_eq!(turns(|lane| lane as u32 * 128, 4), (64, 2));
        assert_eq!(turns(|lane| lane as u32 * 132, 4), (2, 2), "padded");
        assert_eq!(turns(|lane| lane as u32 * 16, 16), (8, 8));
    }
}
