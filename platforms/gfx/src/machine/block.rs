//! A workgroup: what its waves share.

use super::code::Code;
use super::launch::Launch;
use super::lds::Lds;
use super::memory::{Known, View};
use super::races::Races;
use super::statistics::Statistics;
use super::wave::Wave;
use crate::fault::{Fault, FaultKind, Stop, fail};

/// What the waves of a workgroup share, and what they see of the launch.
pub(crate) struct Block<'l> {
    pub(crate) launch: &'l Launch<'l>,
    pub(crate) code: &'l Code,
    pub(crate) index: [u32; 3],
    pub(crate) view: View<'l>,
    pub(crate) lds: Lds,
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

impl<'l> Block<'l> {
    /// A workgroup, which begins with the `known` regions of memory that another of the same launch has found.
    pub(crate) fn new(launch: &'l Launch<'l>, index: [u32; 3], linear: u64, known: Vec<Known>) -> Self {
        let mut random = fastrand::Rng::with_seed(launch.seed ^ linear.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let races = launch.shadow.as_ref().map(|shadow| Races::new(shadow, linear));
        Self {
            launch,
            code: launch.code,
            index,
            view: View::new(launch.memory, races, known),
            lds: Lds::new(launch.lds_bytes(), &mut random),
            statistics: launch.statistics.is_some().then(Box::default),
            random,
        }
    }

    /// Runs all waves to their end, in random turns. `counts` has an entry for each instruction of the kernel, which
    /// counts its executions.
    pub(crate) fn run(&mut self, counts: &mut [u64]) -> Result<(), BlockFault> {
        let mut waves = self.launch.waves(self.index, &mut self.random);
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
        let code = self.code;
        let first = self.launch.instructions.start;
        wave.executed += steps;
        if wave.executed > self.launch.limit {
            return fail(
                FaultKind::Limit,
                format!("a wave has executed more than {} instructions", self.launch.limit),
            );
        }
        for _ in 0..steps {
            let at = wave.next;
            let Some(instruction) = code.instructions.get(at) else {
                return fail(FaultKind::Trap, "there is no instruction at the address that it goes on at");
            };
            if let Some(count) = counts.get_mut(at.wrapping_sub(first)) {
                *count += 1;
            }
            if let (Some(statistics), Some(counting)) = (&mut self.statistics, &self.launch.statistics) {
                let event = counting.events.get(at.wrapping_sub(first)).copied().unwrap_or_default();
                statistics.executed(wave.number, event);
            }
            wave.next = at + 1;
            (instruction.execute)(wave, self)?;
            wave.settle()?;
        }
        Ok(())
    }
}
