//! A workgroup: what its waves share.

use super::code::Code;
use super::launch::Launch;
use super::lds::Lds;
use super::memory::{Known, View};
use super::races::Races;
use super::statistics::Statistics;
use super::wave::{LANES, Row, Wave};
use crate::fault::{Fault, FaultKind, Stop, fail};

/// What the waves of a workgroup share, and what they see of the launch.
pub(crate) struct Block<'l> {
    pub(crate) launch: &'l Launch<'l>,
    pub(crate) code: &'l Code,
    index: [u32; 3],
    pub(crate) view: View<'l>,
    pub(crate) lds: Lds,
    /// Where the present load puts its values: filling such a place with zeros for each would take longer than many loads.
    pub(crate) loaded: Option<Box<[Row; 4]>>,
    /// What the memory accesses amount to, if that is wanted.
    pub(crate) statistics: Option<Box<Statistics>>,
    pub(crate) random: fastrand::Rng,
}

/// Why a workgroup stopped before its end, and where.
pub(crate) struct BlockFault {
    pub(crate) fault: Fault,
    pub(crate) wave: usize,
    /// The index of the instruction.
    pub(crate) at: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Running,
    AtBarrier,
    Ended,
}

/// What a workgroup leaves to the next one of the same launch on the same thread.
#[derive(Default)]
pub(crate) struct Kept {
    /// The regions of memory that were found.
    known: Vec<Known>,
    lds: Lds,
    loaded: Option<Box<[Row; 4]>>,
}

impl<'l> Block<'l> {
    /// A workgroup.
    pub(crate) fn new(launch: &'l Launch<'l>, index: [u32; 3], linear: u64, kept: Kept) -> Self {
        let mut random = fastrand::Rng::with_seed(launch.seed ^ linear.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let Kept { known, mut lds, loaded } = kept;
        lds.begin(launch.lds_bytes(), &mut random);
        let races = launch.shadow.as_ref().map(|shadow| Races::new(shadow, linear));
        Self {
            launch,
            code: launch.code,
            index,
            view: View::new(launch.memory, races, known),
            lds,
            loaded,
            statistics: launch.observer(),
            random,
        }
    }

    /// What the next one can use.
    pub(crate) fn into_kept(self) -> Kept {
        Kept { known: self.view.into_known(), lds: self.lds, loaded: self.loaded }
    }

    /// Runs all waves to their end, in random turns. `counts` has an entry for each instruction of the kernel, which
    /// counts its executions. `waves` are those of another workgroup of the launch, or none.
    pub(crate) fn run(&mut self, waves: &mut Vec<Wave>, counts: &mut [u64]) -> Result<(), BlockFault> {
        self.launch.start(waves, self.index, &mut self.random);
        let mut states = vec![State::Running; waves.len()];
        let mut running: Vec<usize> = (0..waves.len()).collect();
        loop {
            while !running.is_empty() {
                let turn = self.random.usize(..running.len());
                let number = running[turn];
                let wave = &mut waves[number];
                let steps = 1 << self.random.u32(4..12);
                let stop = match self.steps(wave, steps, counts) {
                    Ok(()) => continue,
                    Err(stop) => *stop,
                };
                states[number] = match stop {
                    Stop::End => State::Ended,
                    Stop::Barrier => State::AtBarrier,
                    Stop::Fault(fault) => {
                        return Err(BlockFault { fault, wave: number, at: wave.next.saturating_sub(1) });
                    }
                };
                running.swap_remove(turn);
            }
            // All that have not ended are at the barrier.
            running.extend((0..waves.len()).filter(|&number| states[number] == State::AtBarrier));
            if running.is_empty() {
                return Ok(());
            }
            running.iter().for_each(|&number| states[number] = State::Running);
            self.lds.barrier();
        }
    }

    /// Executes up to `steps` instructions of a wave.
    fn steps(&mut self, wave: &mut Wave, steps: u64, counts: &mut [u64]) -> Result<(), Box<Stop>> {
        let code = &self.code.execute[..];
        let first = self.launch.instructions.start;
        let is_profiled = self.statistics.is_some();
        wave.executed += steps;
        if wave.executed > self.launch.limit {
            return fail(
                FaultKind::Limit,
                format!("a wave has executed more than {} instructions", self.launch.limit),
            );
        }
        for _ in 0..steps {
            let at = wave.next;
            let Some(execute) = code.get(at) else {
                return fail(FaultKind::Trap, "there is no instruction at the address that it goes on at");
            };
            if let Some(count) = counts.get_mut(at.wrapping_sub(first)) {
                *count += 1;
            }
            if is_profiled {
                self.profile(wave, at.wrapping_sub(first));
            }
            wave.next = at + 1;
            execute(wave, self)?;
            wave.settle()?;
        }
        Ok(())
    }

    /// A place for what a load loads, which it gives back as `loaded`.
    #[inline(always)]
    pub(crate) fn take_loaded(&mut self) -> Box<[Row; 4]> {
        self.loaded.take().unwrap_or_else(|| Box::new([[0; LANES]; 4]))
    }

    /// Counts what the kernel's instruction `index` does.
    #[inline(never)]
    fn profile(&mut self, wave: &Wave, index: usize) {
        let Some(statistics) = &mut self.statistics else { return };
        if let Some(counting) = &self.launch.statistics {
            statistics.executed(wave.number, counting.events.get(index).copied().unwrap_or_default());
        } else if let Some(operation) = self.launch.recorded.get(index) {
            statistics.execute(wave, index, operation);
        }
    }
}
