//! A launch: a grid of workgroups, run in random order on the threads of this process.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::block::{Block, BlockFault, Kept};
use super::clock::Event;
use super::code::Code;
use super::descriptor::{Descriptor, UserScalars};
use super::memory::Memory;
use super::races::Shadow;
use super::scratch::RESOURCE;
use super::statistics::{Statistics, Totals};
use super::wave::{Wave, full};
use crate::assembly::{File, special};
use crate::target::Target;
use crate::time::{Choice, Operation, Window, Workgroup};

/// A launch of a kernel.
pub(crate) struct Launch<'l> {
    pub(crate) target: Target,
    pub(crate) code: &'l Code,
    pub(crate) descriptor: &'l Descriptor,
    /// The indices of its instructions, from its entry on.
    pub(crate) instructions: Range<usize>,
    /// Workgroups per dimension.
    pub(crate) grid: [u32; 3],
    /// Work-items per dimension of a workgroup.
    pub(crate) block: [u32; 3],
    /// LDS beyond what the kernel declares.
    pub(crate) dynamic_lds: u32,
    /// Addresses of the kernel's arguments and of the dispatch packet, which lie in a region of `memory`.
    pub(crate) arguments: u64,
    pub(crate) packet: u64,
    pub(crate) memory: &'l dyn Memory,
    pub(crate) shadow: Option<Shadow>,
    /// Where to count what memory accesses amount to.
    pub(crate) statistics: Option<Counting>,
    /// The kernel's instructions, if what is executed is to be recorded.
    pub(crate) recorded: &'l [Operation],
    /// Where to add the CPU time of the threads that execute it, in nanoseconds.
    pub(crate) time: Option<AtomicU64>,
    pub(crate) seed: u64,
    /// Instructions that a wave may execute.
    pub(crate) limit: u64,
}

/// Counts what memory accesses amount to.
pub(crate) struct Counting {
    /// What each of the kernel's instructions does.
    pub(crate) events: Vec<Event>,
    pub(crate) totals: Mutex<Totals>,
}

/// Instructions that take longer than the start of a thread.
const WORTH_A_THREAD: u64 = 10_000;

/// Workgroups that run in any case, when only some of them do.
const SAMPLE: u64 = 16;

/// What is recorded of a launch.
pub(crate) struct Recorded {
    pub(crate) workgroups: Vec<Workgroup>,
    pub(crate) window: Window,
    /// As of [`crate::time::Trace`].
    pub(crate) later_instructions: Option<f64>,
}

/// The fault of a workgroup.
pub(crate) struct LaunchFault {
    pub(crate) fault: BlockFault,
    pub(crate) block: [u32; 3],
}

impl Launch<'_> {
    /// The LDS of a workgroup, in bytes.
    pub(crate) fn lds_bytes(&self) -> usize {
        (self.descriptor.lds + self.dynamic_lds) as usize
    }

    pub(crate) fn blocks(&self) -> u64 {
        self.grid.iter().map(|&size| u64::from(size)).product()
    }

    /// What looks on while a workgroup runs, if anything.
    pub(super) fn observer(&self) -> Option<Box<Statistics>> {
        if self.statistics.is_some() {
            Some(Box::default())
        } else if !self.recorded.is_empty() {
            Some(Box::new(Statistics::recording()))
        } else {
            None
        }
    }

    /// Runs the workgroups of a choice, with a record of what each executes, some of those that are on the card at the same time, and some
    /// of those that the unit gets later.
    pub(crate) fn record(&self, choice: &Choice) -> Result<Recorded, LaunchFault> {
        let (mut kept, mut waves) = (Kept::default(), Vec::new());
        let mut counts = vec![0; self.instructions.len()];
        let mut run = |linear: u64| -> Result<(Workgroup, u64), LaunchFault> {
            let index = self.index(linear);
            let mut block = Block::new(self, index, linear, std::mem::take(&mut kept));
            block.run(&mut waves, &mut counts).map_err(|fault| LaunchFault { fault, block: index })?;
            let workgroup = block.statistics.take().map(|observer| observer.into_workgroup());
            kept = block.into_kept();
            Ok((workgroup.unwrap_or_default(), counts.iter().sum()))
        };
        let (mut all, mut numbers) = (Vec::new(), Vec::new());
        for linear in choice.workgroups(self.blocks()) {
            let (workgroup, instructions) = run(linear)?;
            all.push(workgroup);
            numbers.push(linear);
            if choice.is_enough(all.len() as u64, instructions) {
                break;
            }
        }
        let (workgroups, others) = choice.window(self.blocks());
        let others: Vec<u64> = others.collect();
        let mut samples = Vec::new();
        for &linear in &others {
            samples.push(match numbers.iter().position(|number| *number == linear) {
                Some(known) => all[known].distinct(),
                None => run(linear)?.0.distinct(),
            });
        }
        let later: Vec<u64> = choice.later(self.blocks(), all.len()).collect();
        let mut instructions = 0;
        for &linear in &later {
            instructions += run(linear)?.0.instructions();
        }
        let later_instructions = (!later.is_empty()).then(|| instructions as f64 / later.len() as f64);
        if choice.is_complete {
            numbers.extend(others.into_iter().chain(later));
            for linear in (0..self.blocks()).filter(|linear| !numbers.contains(linear)) {
                run(linear)?;
            }
        }
        Ok(Recorded { workgroups: all, window: Window { workgroups, samples }, later_instructions })
    }

    /// Runs all workgroups on `threads` threads. The result has the number of executions of each of the kernel's instructions.
    pub(crate) fn run(&self, threads: usize) -> Result<Vec<u64>, LaunchFault> {
        let order = Order::new(self.blocks(), self.seed);
        self.run_some(threads, 0..self.blocks(), |turn| order.at(turn))
    }

    /// Runs as many of the workgroups as execute about `budget` instructions, spread evenly over the grid, and tells how many these were.
    pub(crate) fn sample(&self, threads: usize, budget: u64) -> Result<(Vec<u64>, u64), LaunchFault> {
        let blocks = self.blocks();
        if blocks <= SAMPLE {
            return Ok((self.run(threads)?, blocks));
        }
        let spread = |count: u64, seed: u64| {
            let spread = Spread::new(self.grid, count, self.seed ^ seed);
            (0..count).map(|turn| spread.at(turn)).collect::<Vec<_>>()
        };
        let run =
            |numbers: &[u64]| self.run_some(threads, 0..numbers.len() as u64, |turn| numbers[turn as usize]);
        let mut first = spread(SAMPLE, 0);
        first.sort_unstable();
        first.dedup();
        let mut counts = run(&first)?;
        let each = (counts.iter().sum::<u64>() / first.len() as u64).max(1);
        let others = match (budget / each).saturating_sub(first.len() as u64) {
            more if first.len() as u64 + more < blocks => spread(more, 1),
            _ => (0..blocks).filter(|number| first.binary_search(number).is_err()).collect(),
        };
        counts.iter_mut().zip(run(&others)?).for_each(|(count, more)| *count += more);
        Ok((counts, (first.len() + others.len()) as u64))
    }

    /// Runs the workgroups whose turns these are: `at` gives their numbers.
    fn run_some(
        &self,
        threads: usize,
        turns: Range<u64>,
        at: impl Fn(u64) -> u64 + Sync,
    ) -> Result<Vec<u64>, LaunchFault> {
        let (next, stopped) = (AtomicU64::new(turns.start), AtomicBool::new(false));
        let totals = Mutex::new(vec![0; self.instructions.len()]);
        let fault = Mutex::new(None);
        // Takes up to so many turns, and gives the number of instructions that they took.
        let work = |most: u64| {
            let clock = self.time.as_ref().map(|time| (time, thread_time()));
            let mut counts = vec![0; self.instructions.len()];
            let (mut kept, mut waves) = (Kept::default(), Vec::new());
            for _ in 0..most {
                if stopped.load(Ordering::Relaxed) {
                    break;
                }
                let turn = next.fetch_add(1, Ordering::Relaxed);
                if turn >= turns.end {
                    break;
                }
                let linear = at(turn);
                let index = self.index(linear);
                let mut block = Block::new(self, index, linear, kept);
                if let Err(found) = block.run(&mut waves, &mut counts) {
                    stopped.store(true, Ordering::Relaxed);
                    let mut fault = fault.lock().unwrap_or_else(PoisonError::into_inner);
                    fault.get_or_insert(LaunchFault { fault: found, block: index });
                }
                if let (Some(counting), Some(statistics)) = (&self.statistics, &block.statistics) {
                    let mut totals = counting.totals.lock().unwrap_or_else(PoisonError::into_inner);
                    totals.add(statistics, self.memory);
                }
                kept = block.into_kept();
            }
            let mut totals = totals.lock().unwrap_or_else(PoisonError::into_inner);
            totals.iter_mut().zip(&counts).for_each(|(total, count)| *total += count);
            if let Some((time, start)) = clock {
                time.fetch_add(thread_time().saturating_sub(start), Ordering::Relaxed);
            }
            counts.iter().sum::<u64>()
        };
        std::thread::scope(|scope| {
            let all = turns.end.saturating_sub(turns.start);
            let worth = work(1) * all / WORTH_A_THREAD;
            (1..(threads as u64).min(all).min(worth)).for_each(|_| drop(scope.spawn(|| work(u64::MAX))));
            work(u64::MAX);
        });
        match fault.into_inner().unwrap_or_else(PoisonError::into_inner) {
            None => Ok(totals.into_inner().unwrap_or_else(PoisonError::into_inner)),
            Some(fault) => Err(fault),
        }
    }

    fn index(&self, linear: u64) -> [u32; 3] {
        let [x, y, _] = self.grid.map(u64::from);
        [linear % x, linear / x % y, linear / x / y].map(|index| index as u32)
    }

    /// Starts the waves of a workgroup as the hardware does; `waves` are none, or those of another one, of which the memory is used again
    /// ("Initial Kernel Execution State" in LLVM's user guide for AMDGPU).
    pub(crate) fn start(&self, waves: &mut Vec<Wave>, index: [u32; 3], random: &mut fastrand::Rng) {
        let items = self.block.iter().product::<u32>() as usize;
        let lanes = self.target.lanes;
        if waves.is_empty() {
            let registers = self.descriptor.registers(&self.target);
            let scratch = self.descriptor.scratch as usize;
            waves.extend(
                (0..items.div_ceil(lanes)).map(|number| Wave::new(lanes, number, registers, scratch)),
            );
        }
        for wave in waves {
            wave.begin(random);
            let first = wave.number * lanes;
            let on = (items - first).min(lanes);
            wave.set_scalar64(special::EXEC, full(on));
            wave.next = self.instructions.start;
            wave.mode = self.descriptor.mode();
            self.set_scalars(wave, index);
            self.set_vectors(wave, first, on);
        }
    }

    fn set_scalars(&self, wave: &mut Wave, index: [u32; 3]) {
        let mut next = 0;
        for kind in self.descriptor.user_scalars() {
            match kind {
                UserScalars::Packet => wave.set_scalar64(next, self.packet),
                UserScalars::Arguments => wave.set_scalar64(next, self.arguments),
                UserScalars::DispatchId => wave.set_scalar64(next, 0),
                UserScalars::ScratchSize => wave.set_scalar(next, self.descriptor.scratch),
                UserScalars::ScratchResource => {
                    (next..).zip(RESOURCE).for_each(|(number, word)| wave.set_scalar(number, word));
                }
                // Their contents are not ours to invent; reading them is a fault, as of any register that nobody wrote.
                UserScalars::Queue | UserScalars::FlatScratch => {}
            }
            next += kind.count();
        }
        if self.target.generation >= 12 {
            wave.set_scalar(special::TTMP + 9, index[0]);
            wave.set_scalar(special::TTMP + 7, index[1] | index[2] << 16);
            return;
        }
        next = self.descriptor.user_count();
        for (enabled, index) in self.descriptor.workgroup_ids().into_iter().zip(index) {
            if enabled {
                wave.set_scalar(next, index);
                next += 1;
            }
        }
        if self.target.generation <= 10 && self.descriptor.wants_scratch_offset() {
            // Each wave has its own scratch memory.
            wave.set_scalar(next, 0);
        }
    }

    fn set_vectors(&self, wave: &mut Wave, first: usize, on: usize) {
        let mut ids = [[0; super::wave::LANES]; 3];
        let [x, y, _] = self.block.map(|size| size as usize);
        for lane in 0..on {
            let item = first + lane;
            ids[0][lane] = (item % x) as u32;
            ids[1][lane] = (item / x % y) as u32;
            ids[2][lane] = (item / x / y) as u32;
        }
        let mask = full(on);
        let dimensions = self.descriptor.work_item_ids();
        if self.target.generation >= 11 || self.target.has_unified_registers() {
            let mut packed = ids[0];
            for lane in 0..on {
                packed[lane] |= ids[1][lane] << 10 | ids[2][lane] << 20;
            }
            self.set_vector(wave, 0, &packed, mask);
        } else {
            for (number, values) in ids.iter().enumerate().take(dimensions) {
                self.set_vector(wave, number as u16, values, mask);
            }
        }
    }

    fn set_vector(&self, wave: &mut Wave, number: u16, values: &super::wave::Row, mask: u64) {
        if let Ok(row) = wave.row_index(File::Vector, number) {
            wave.set_row(row, values, mask);
        }
    }
}

/// The CPU time of this thread, in nanoseconds.
fn thread_time() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: it writes to `time` only; where it fails, that stays 0.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// A random order of `count` workgroups: an affine permutation.
struct Order {
    count: u64,
    step: u64,
    first: u64,
}

impl Order {
    fn new(count: u64, seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut step = random.u64(0..count.max(1)) | 1;
        while gcd(step, count.max(1)) != 1 {
            step += 2;
        }
        Self { count: count.max(1), step, first: random.u64(0..count.max(1)) }
    }

    fn at(&self, turn: u64) -> u64 {
        ((u128::from(turn) * u128::from(self.step) + u128::from(self.first)) % u128::from(self.count)) as u64
    }
}

/// Workgroups with indices that lie evenly along each dimension of a grid, and evenly within each part of it, as what one does often depends
/// on where it is: behind a causal mask, the last has all keys and the first a few. Some may come twice.
struct Spread {
    grid: [u64; 3],
    count: u64,
    /// Along each dimension, its parts in some order, and the places within these.
    parts: [Order; 3],
    places: [Order; 3],
}

impl Spread {
    fn new(grid: [u32; 3], count: u64, seed: u64) -> Self {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut orders = || [(); 3].map(|()| Order::new(count, random.u64(..)));
        Self { grid: grid.map(u64::from), count, parts: orders(), places: orders() }
    }

    fn at(&self, turn: u64) -> u64 {
        let count = u128::from(self.count);
        let index = |dimension: usize| {
            let size = u128::from(self.grid[dimension]);
            let [part, place] = [&self.parts, &self.places].map(|of| u128::from(of[dimension].at(turn)));
            ((part * size + place * size / count) / count) as u64
        };
        index(0) + self.grid[0] * (index(1) + self.grid[1] * index(2))
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_even_along_each_dimension() {
        for (grid, count) in [([32, 24, 1], 16), ([32, 24, 1], 48), ([7, 5, 3], 100), ([1, 1, 1], 3)] {
            for seed in 0..5 {
                let spread = Spread::new(grid, count, seed);
                let [x, y, z] = grid.map(u64::from);
                let numbers: Vec<u64> = (0..count).map(|turn| spread.at(turn)).collect();
                assert!(numbers.iter().all(|number| *number < x * y * z));
                for (size, stride) in [(x, 1), (y, x), (z, x * y)] {
                    let mut times = vec![0; size as usize];
                    numbers.iter().for_each(|number| times[(number / stride % size) as usize] += 1);
                    let (least, most) = ((count / size).saturating_sub(1), count.div_ceil(size) + 1);
                    assert!(times.iter().all(|times| (least..=most).contains(times)), "{grid:?} {times:?}");
                }
            }
        }
    }

    /// Blocks of queries and heads in one dimension: each head is a stretch of it.
    #[test]
    fn samples_are_even_within_stretches() {
        for seed in 0..20 {
            let spread = Spread::new([1024, 1, 1], 16, seed);
            let sum: u64 = (0..16).map(|turn| spread.at(turn) % 32).sum();
            assert!((14 * 16..=17 * 16).contains(&sum), "{sum}");
        }
    }

    #[test]
    fn every_workgroup_has_its_turn() {
        for count in [1, 2, 3, 4, 15, 64, 1000, 1024] {
            for seed in 0..5 {
                let order = Order::new(count, seed);
                let mut seen: Vec<u64> = (0..count).map(|turn| order.at(turn)).collect();
                seen.sort_unstable();
                assert_eq!(seen, (0..count).collect::<Vec<_>>(), "{count} {seed}");
            }
        }
    }
}
