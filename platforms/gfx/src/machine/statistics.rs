//! What the memory accesses of a launch amount to.

use std::collections::{BTreeMap, HashSet};

use super::clock::{Clock, Event};
use super::memory::{Access, Memory};
use super::spread::Spread;
use super::wave::Wave;
use crate::profile::{LINE, Touched, Traffic};
use crate::time::{Operation, Workgroup};

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

/// The accesses of a workgroup.
#[derive(Debug, Default)]
pub(crate) struct Statistics {
    /// Those of each instruction, by its index.
    pub(crate) traffic: Vec<Traffic>,
    /// Lines of global memory that were read, and that were written.
    lines: [HashSet<u64>; 2],
    /// By wave.
    clocks: Vec<Clock>,
    /// What is executed, in order, if that is wanted.
    record: Option<Record>,
}

/// What a workgroup executes, in order.
#[derive(Debug, Default)]
struct Record {
    workgroup: Workgroup,
    /// The wave whose instruction is executed.
    wave: usize,
}

/// The accesses of all workgroups.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    pub(crate) traffic: Vec<Traffic>,
    /// By the address where an allocation begins.
    pub(crate) memory: BTreeMap<u64, Touched>,
    pub(crate) waits: u64,
}

impl Totals {
    /// Adds those of another workgroup.
    pub(crate) fn add(&mut self, other: &Statistics, memory: &dyn Memory) {
        self.traffic.resize(self.traffic.len().max(other.traffic.len()), Traffic::default());
        self.traffic.iter_mut().zip(&other.traffic).for_each(|(sum, traffic)| sum.add(traffic));
        self.waits += other.clocks.iter().map(Clock::waits).sum::<u64>();
        for (is_write, lines) in other.lines.iter().enumerate() {
            let mut lines: Vec<u64> = lines.iter().map(|line| line * LINE).collect();
            lines.sort_unstable();
            let mut from = 0;
            while let Some(&first) = lines.get(from) {
                // The first line of an allocation may begin before it.
                let region = memory.region(first).or_else(|| memory.region(first + LINE - 1));
                let Some(region) = region else {
                    from += 1;
                    continue;
                };
                let count = lines[from..].partition_point(|&line| line < region.addresses.end);
                let touched = self.memory.entry(region.addresses.start).or_default();
                touched.size = region.addresses.end - region.addresses.start;
                *(if is_write == 1 { &mut touched.written } else { &mut touched.read }) += count as u64;
                from += count.max(1);
            }
        }
    }
}

impl Statistics {
    /// For code of so many instructions.
    #[cfg(test)]
    fn new(instructions: usize) -> Self {
        Self { traffic: vec![Traffic::default(); instructions], ..Self::default() }
    }

    /// For a record of what is executed.
    pub(crate) fn recording() -> Self {
        Self { record: Some(Record::default()), ..Self::default() }
    }

    /// What was executed.
    pub(crate) fn into_workgroup(self) -> Workgroup {
        self.record.unwrap_or_default().workgroup
    }

    /// Records an instruction of a wave, which comes before its accesses.
    pub(crate) fn execute(&mut self, wave: &Wave, index: usize, operation: &Operation) {
        let Some(record) = &mut self.record else { return };
        record.wave = wave.number;
        record.workgroup.executed(wave.number, index);
        if let Some((address, bytes)) = operation.scalar_bytes(|number| wave.scalar_bits(number).0 as u32) {
            record.workgroup.touched(wave.number, &[(address, address + bytes)]);
        }
    }

    /// Counts an instruction of a wave, which comes before its accesses.
    #[inline]
    pub(crate) fn executed(&mut self, wave: usize, event: Event) {
        if event == Event::Nothing {
            return;
        }
        if self.clocks.len() <= wave {
            self.clocks.resize_with(wave + 1, Clock::default);
        }
        self.clocks[wave].happens(event);
    }

    /// Counts an access of `size` bytes by each lane to global memory.
    pub(crate) fn global(&mut self, instruction: usize, at: &Spread<'_, u64>, size: usize, access: Access) {
        let mut pieces: Vec<_> =
            at.active().map(|(_, address)| (address, address.saturating_add(size as u64))).collect();
        if let Some(record) = &mut self.record {
            return record.workgroup.touched(record.wave, &pieces);
        }
        pieces.sort_unstable();
        let used = match access {
            Access::Read | Access::AtomicRead => [true, false],
            Access::Write => [false, true],
            Access::Atomic => [true, true],
        };
        for (lines, _) in self.lines.iter_mut().zip(used).filter(|(_, is_used)| *is_used) {
            pieces.iter().for_each(|(start, end)| lines.extend(start / LINE..end.div_ceil(LINE)));
        }
        self.count(
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
        if let Some(record) = &mut self.record {
            return record.workgroup.took(record.wave, traffic.turns);
        }
        self.count(instruction, &traffic);
    }

    fn count(&mut self, instruction: usize, traffic: &Traffic) {
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
            statistics.global(at, &Spread::new(&mut all, 64, u64::MAX, size), size, Access::Read);
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
            statistics.local(0, &Spread::new(&mut all, 64, u64::MAX, size), size);
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
