//! Which launches there were, in order, with a record of each distinct one.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use rocm_kernels::cards::Card;

use super::memory::{Data, Found};
use super::trace::Trace;
use super::{Deal, Prediction};

/// Launches in the order of their stream. Those that differ in the addresses of their buffers only are executed and recorded once.
#[derive(Clone, Debug, Default)]
pub struct Log {
    traces: Vec<Trace>,
    launches: Vec<Launched>,
}

/// A launch.
#[derive(Clone, Debug)]
struct Launched {
    /// The index of its trace.
    trace: usize,
    /// The allocations that its arguments point into, in the order of the arguments.
    buffers: Vec<Range<u64>>,
}

/// What makes two launches the same: kernel, sizes, and arguments, of which pointers count as the sizes of their allocations.
pub(crate) type Key = Vec<u64>;

/// An allocation that a launch uses, and the bytes of it that it touches.
type Touched = (Range<u64>, u64);

impl Log {
    /// The launches.
    pub fn launches(&self) -> impl ExactSizeIterator<Item = &Trace> {
        self.launches.iter().map(|launch| &self.traces[launch.trace])
    }

    /// The allocations that each launch uses.
    fn touched(&self, card: &Card) -> Vec<Vec<Touched>> {
        let of_traces: Vec<Vec<u64>> = self.traces.iter().map(|trace| trace.bytes(card)).collect();
        let of = |launch: &Launched| {
            let trace = &self.traces[launch.trace];
            let own = |region: &Range<u64>| {
                let at = trace.arguments.iter().position(|of| of == region);
                at.and_then(|at| launch.buffers.get(at)).unwrap_or(region).clone()
            };
            trace.regions.iter().map(own).zip(of_traces[launch.trace].iter().copied()).collect()
        };
        self.launches.iter().map(of).collect()
    }

    /// Bytes that the launches touch, those that several of them touch counted once.
    pub fn bytes(&self, card: &Card) -> u64 {
        let mut most: HashMap<u64, u64> = HashMap::new();
        for (buffer, bytes) in self.touched(card).into_iter().flatten() {
            let known = most.entry(buffer.start).or_default();
            *known = bytes.max(*known);
        }
        most.into_values().sum()
    }

    /// The times of the launches, one after the other, in a program that repeats them and that touches `between` bytes from one time to
    /// the next. What a launch finds in the caches of the card follows from how many bytes were touched since its buffers were used:
    /// by the launch that used one last, and by those behind it.
    pub fn predict(&self, card: &Card, between: u64) -> Vec<Prediction> {
        // Buffers by where they start, with the number of the launch that used them last, and the bytes that it touched.
        let mut uses: HashMap<u64, (usize, u64)> = HashMap::new();
        let mut known: HashMap<(usize, Vec<Found>), Prediction> = HashMap::new();
        let mut all = Vec::with_capacity(self.launches.len());
        for (number, (launch, touched)) in self.launches.iter().zip(self.touched(card)).enumerate() {
            let since = |(buffer, bytes): &Touched| {
                let others = uses.get(&buffer.start).map_or(between, |(last, _)| {
                    let others = uses.iter().filter(|&(of, (used, _))| *of != buffer.start && used >= last);
                    others.map(|(_, (_, bytes))| bytes).sum()
                });
                Found::new(card, others.saturating_add(*bytes))
            };
            let found: Vec<Found> = touched.iter().map(since).collect();
            uses.extend(touched.into_iter().map(|(buffer, bytes)| (buffer.start, (number, bytes))));
            let trace = &self.traces[launch.trace];
            let entry = known
                .entry((launch.trace, found))
                .or_insert_with_key(|(_, found)| trace.predict(card, Data::Each(found)));
            all.push(entry.clone());
        }
        all
    }
}

/// What is recorded, and of which card it is to be the time.
struct Recording {
    card: &'static Card,
    budget: u64,
    is_paused: bool,
    is_complete: bool,
    known: HashMap<Key, usize>,
    traces: Vec<Trace>,
    launches: Vec<Launched>,
}

static RECORDING: Mutex<Option<Recording>> = Mutex::new(None);

fn recording<R>(with: impl FnOnce(&mut Option<Recording>) -> R) -> R {
    with(&mut RECORDING.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Records launches from now on. Of a launch only those workgroups run which one unit of this card gets, and of these about as many as
/// execute `budget` instructions, or as many as are on it at once; of one that was recorded before none do. So results are useless.
pub fn start(card: &'static Card, budget: u64) {
    recording(|recording| {
        *recording = Some(Recording {
            card,
            budget,
            is_paused: false,
            is_complete: false,
            known: HashMap::new(),
            traces: Vec::new(),
            launches: Vec::new(),
        });
    });
}

/// Between [`start`] and [`finish`]: launches are left out from now on, or recorded again.
pub fn pause(is_paused: bool) {
    recording(|recording| recording.iter_mut().for_each(|recording| recording.is_paused = is_paused));
}

/// Between [`start`] and [`finish`]: launches run as a whole from now on, so that results are those that they should be, or in part again.
pub fn complete(is_complete: bool) {
    recording(|recording| recording.iter_mut().for_each(|recording| recording.is_complete = is_complete));
}

/// The launches since [`start`] or since this was called last.
pub fn take() -> Log {
    recording(|recording| {
        recording.as_mut().map_or_else(Log::default, |recording| Log {
            traces: recording.traces.clone(),
            launches: std::mem::take(&mut recording.launches),
        })
    })
}

/// Stops recording, and returns what [`take`] does.
pub fn finish() -> Log {
    recording(Option::take)
        .map_or_else(Log::default, |recording| Log { traces: recording.traces, launches: recording.launches })
}

/// What to do with a launch.
pub(crate) enum Plan {
    /// To run it as a whole: nothing is recorded.
    Run,
    /// Not to run it.
    LeaveOut,
    /// To run and record these of its workgroups.
    Record(Choice, Key),
}

/// So many times the budget are enough in any case.
const MOST: u64 = 8;

/// Workgroups that tell what all share that are on the card at the same time, and how long those are that start later.
const SAMPLES: u64 = 8;

/// Which workgroups of a launch to record.
pub(crate) struct Choice {
    /// Units of the card.
    pub(crate) units: u64,
    /// Workgroups of the busiest one.
    pub(crate) each: u64,
    /// Those that it has at once.
    pub(crate) resident: u64,
    /// Instructions that are enough.
    pub(crate) budget: u64,
    /// Whether all others run, too.
    pub(crate) is_complete: bool,
}

impl Choice {
    /// The workgroups of the unit that has the first one, in the order in which they start.
    pub(crate) fn workgroups(&self, blocks: u64) -> impl Iterator<Item = u64> {
        (0..self.each).map(move |number| number * self.units).filter(move |&number| number < blocks)
    }

    /// The workgroups that are on the card at the same time, and some of them, spread evenly.
    pub(crate) fn window(&self, blocks: u64) -> (u64, impl Iterator<Item = u64>) {
        let all = blocks.min(self.units * self.resident).max(1);
        let count = all.min(SAMPLES);
        (all, (0..count).map(move |number| number * all / count))
    }

    /// Some of those that start on the unit when so many have, spread evenly.
    pub(crate) fn later(&self, blocks: u64, started: usize) -> impl Iterator<Item = u64> {
        let left = self.workgroups(blocks).count().saturating_sub(started);
        let count = left.min(SAMPLES as usize);
        (0..count).filter_map(move |number| self.workgroups(blocks).nth(started + number * left / count))
    }

    /// Whether that is enough: those that started later show how the rest of the launch goes on.
    pub(crate) fn is_enough(&self, workgroups: u64, instructions: u64) -> bool {
        let is_steady = workgroups >= 2 * self.resident && instructions >= self.budget;
        is_steady || (workgroups >= self.resident && instructions >= MOST.saturating_mul(self.budget))
    }
}

/// The workgroups of a launch, and what each of them takes up.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    pub(crate) blocks: u64,
    pub(crate) waves: u32,
    pub(crate) registers: u32,
    pub(crate) lds: u32,
}

/// What to do with a launch, of which `describe` gives the key and the allocations that its arguments point into.
pub(crate) fn plan(size: Size, describe: impl FnOnce() -> (Key, Vec<Range<u64>>)) -> Plan {
    recording(|recording| {
        let Some(recording) = recording else { return Plan::Run };
        if recording.is_paused {
            return Plan::LeaveOut;
        }
        let (key, buffers) = describe();
        let known = recording.known.get(&key).copied();
        recording.launches.push(Launched { trace: known.unwrap_or(recording.traces.len()), buffers });
        let Recording { card, budget, is_complete, .. } = *recording;
        if known.is_some() {
            return if is_complete { Plan::Run } else { Plan::LeaveOut };
        }
        let Deal { each, resident, .. } = Deal::new(card, size.blocks, size.waves, size.registers, size.lds);
        let units = u64::from(card.multiprocessors());
        Plan::Record(Choice { units, each, resident, budget, is_complete }, key)
    })
}

/// Notes what became of a launch that was planned to be recorded.
pub(crate) fn note<E>(key: Key, trace: Result<Trace, E>) -> Result<(), E> {
    recording(|recording| {
        let Some(recording) = recording else { return trace.map(drop) };
        let number = recording.traces.len();
        match trace {
            Ok(mut trace) => {
                let own = recording.launches.iter().rev().find(|launch| launch.trace == number);
                trace.arguments = own.map(|launch| launch.buffers.clone()).unwrap_or_default();
                recording.known.insert(key, number);
                recording.traces.push(trace);
                Ok(())
            }
            Err(fault) => {
                recording.launches.retain(|launch| launch.trace < number);
                Err(fault)
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::Operation;
    use super::super::trace::{Window, Workgroup};
    use super::*;

    const MIB: u64 = 1 << 20;

    /// A launch of 96 workgroups, each of which reads as much of its own of buffers.
    fn trace(regions: &[Range<u64>]) -> Trace {
        let workgroup = |number: u64| {
            let mut workgroup = Workgroup::default();
            for region in regions {
                let each = (region.end - region.start) / 96;
                let first = region.start + number * each;
                for line in 0..each / 4096 {
                    workgroup.executed(0, 0);
                    workgroup.touched(0, &[(first + line * 4096, first + (line + 1) * 4096)]);
                }
            }
            workgroup.executed(0, 1);
            workgroup
        };
        Trace {
            kernel: "a reader".to_owned(),
            blocks: 96,
            waves: 1,
            registers: 32,
            lds: 0,
            operations: ["global_load_b128 v[0:3], v[4:5], off", "s_waitcnt vmcnt(0)"]
                .map(|text| Operation::of(text, 4, 11))
                .into(),
            workgroups: [0, 48].map(workgroup).into(),
            window: Window {
                workgroups: 96,
                samples: (0..8).map(|at| workgroup(at * 12).distinct()).collect(),
            },
            later_instructions: None,
            regions: regions.to_vec(),
            arguments: regions.to_vec(),
        }
    }

    #[test]
    fn what_was_used_long_ago_comes_from_memory() {
        let card = Card::find("RX 7900 XTX").unwrap();
        let buffer = |number: u64| (number << 32)..(number << 32) + 48 * MIB;
        let small = (9 << 32)..(9 << 32) + 3 * MIB;
        let launches = |all: &[(usize, Range<u64>)]| {
            all.iter()
                .map(|(trace, buffer)| Launched { trace: *trace, buffers: vec![buffer.clone()] })
                .collect()
        };
        let traces = vec![trace(&[buffer(1)]), trace(std::slice::from_ref(&small))];
        // Twice the same, then three others of the same kernel between, as many as the Infinity Cache of 96 MiB does not hold.
        let order = [(0, 1), (0, 1), (0, 2), (0, 3), (0, 1)].map(|(trace, number)| (trace, buffer(number)));
        let log = Log { traces: traces.clone(), launches: launches(&order) };
        assert_eq!(log.bytes(card), 3 * 48 * MIB);
        let times: Vec<f64> = log.predict(card, 4 << 30).iter().map(|launch| launch.running).collect();
        let speed = |seconds: f64| (48 * MIB) as f64 / seconds * 1e-9;
        assert!((speed(times[0]) / card.memory.bandwidth.value - 1.).abs() < 0.1, "{times:?}");
        assert!(times[1] < 0.6 * times[0], "{times:?}");
        assert_eq!([times[2], times[3], times[4]], [times[0]; 3], "{times:?}");
        // Nothing else was touched since the last time.
        assert_eq!(log.predict(card, 0)[0].running, times[1]);
        // What is as small as this stays in the L2.
        let log = Log { traces, launches: launches(&[(1, small.clone()), (1, small)]) };
        let times: Vec<f64> = log.predict(card, 4 << 30).iter().map(|launch| launch.running).collect();
        assert!(times[1] < 0.5 * times[0], "{times:?}");
        assert_eq!(log.launches().len(), 2);
    }

    #[test]
    fn what_a_launch_uses_besides_is_in_the_caches_too() {
        let card = Card::find("RX 7900 XTX").unwrap();
        let buffers = [1, 2].map(|number| (number << 32)..(number << 32) + 72 * MIB);
        let launch = Launched { trace: 0, buffers: buffers.to_vec() };
        let log = Log { traces: vec![trace(&buffers)], launches: vec![launch.clone(), launch] };
        // Each of them fits the Infinity Cache of 96 MiB, but not both.
        let seconds = log.predict(card, log.bytes(card))[1].running;
        let speed = (2 * 72 * MIB) as f64 / seconds * 1e-9;
        assert!((speed / card.memory.bandwidth.value - 1.).abs() < 0.1, "{speed}");
    }
}
