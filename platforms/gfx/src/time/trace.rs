//! What some workgroups of a launch executed, in order.

use std::collections::HashSet;
use std::ops::Range;

use super::operation::Operation;

/// A launch, of which some workgroups ran: those that one unit of a card gets when workgroups are dealt out in turn.
#[derive(Clone, Debug)]
pub struct Trace {
    /// The kernel's name.
    pub kernel: String,
    /// Workgroups of the launch.
    pub blocks: u64,
    /// Waves of a workgroup.
    pub waves: u32,
    /// Vector registers and accumulators of a lane.
    pub registers: u32,
    /// LDS of a workgroup in bytes.
    pub lds: u32,
    pub(crate) operations: Vec<Operation>,
    pub(crate) workgroups: Vec<Workgroup>,
    pub(crate) window: Window,
    /// Instructions of a workgroup of those that start on the unit after the ones that ran.
    pub(crate) later_instructions: Option<f64>,
    /// The addresses of each allocation that was used.
    pub(crate) regions: Vec<Range<u64>>,
    /// The allocations that its arguments point into, in the order of the arguments.
    pub(crate) arguments: Vec<Range<u64>>,
}

/// Workgroups that are on the card at the same time, as far as that matters for what they share.
#[derive(Clone, Debug, Default)]
pub(crate) struct Window {
    /// How many they are.
    pub(crate) workgroups: u64,
    /// The pieces that some of them touch, each once; these are spread evenly over all of them.
    pub(crate) samples: Vec<Vec<u64>>,
}

impl Window {
    /// The pieces of a range that all of its workgroups touch, from those that samples touch: workgroups with twice as many pieces touch
    /// more by the factor that such samples do. Workgroups may have more pieces or fewer than others.
    fn distinct(&self, first: u64, end: u64) -> f64 {
        let count = |samples: &[Vec<u64>]| {
            let in_range = || samples.iter().flatten().filter(|piece| (first..end).contains(piece));
            [in_range().count(), in_range().collect::<HashSet<_>>().len()].map(|count| count as f64)
        };
        let [all, distinct] = count(&self.samples);
        let [half, half_distinct] = count(&self.samples[..self.samples.len() / 2]);
        let growth = match half {
            0. => 1.,
            half if half == all => 0.,
            half => (distinct / half_distinct).ln() / (all / half).ln(),
        };
        distinct * (self.workgroups as f64 / self.samples.len() as f64).powf(growth.clamp(0., 1.))
    }
}

/// Bytes of the pieces of memory in a trace: the smallest line that there is.
pub(crate) const PIECE: u64 = 64;

/// A workgroup.
#[derive(Clone, Debug, Default)]
pub(crate) struct Workgroup {
    pub(super) waves: Vec<Vec<Step>>,
    touches: Vec<Touch>,
    pieces: Vec<u64>,
}

/// An instruction that a wave executed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    /// The index of its operation.
    pub(super) operation: u32,
    /// The index of what it touched.
    touch: u32,
}

const NOTHING: u32 = u32::MAX;

/// What an instruction touched.
#[derive(Clone, Copy, Debug, Default)]
struct Touch {
    first: u32,
    count: u16,
    turns: u16,
}

impl Workgroup {
    /// The pieces of global memory that a step touched, in order, as multiples of [`PIECE`].
    pub(super) fn pieces(&self, step: Step) -> &[u64] {
        let touch = self.touch(step);
        &self.pieces[touch.first as usize..][..usize::from(touch.count)]
    }

    /// Turns that the LDS took for a step.
    pub(super) fn turns(&self, step: Step) -> u64 {
        self.touch(step).turns.into()
    }

    fn touch(&self, step: Step) -> Touch {
        self.touches.get(step.touch as usize).copied().unwrap_or_default()
    }

    /// The instructions of its waves.
    pub(crate) fn instructions(&self) -> u64 {
        self.waves.iter().map(|steps| steps.len() as u64).sum()
    }

    /// Notes an instruction of a wave; what it touches follows.
    pub(crate) fn executed(&mut self, wave: usize, operation: usize) {
        if self.waves.len() <= wave {
            self.waves.resize_with(wave + 1, Vec::new);
        }
        self.waves[wave].push(Step { operation: operation as u32, touch: NOTHING });
    }

    /// Notes that the last instruction of a wave touched these bytes of global memory: pairs of their first and what follows them.
    pub(crate) fn touched(&mut self, wave: usize, bytes: &[(u64, u64)]) {
        let first = self.pieces.len();
        self.pieces.extend(bytes.iter().flat_map(|&(start, end)| start / PIECE..end.div_ceil(PIECE)));
        self.pieces[first..].sort_unstable();
        let mut kept = first;
        for at in first..self.pieces.len() {
            if at == first || self.pieces[at] != self.pieces[kept - 1] {
                self.pieces[kept] = self.pieces[at];
                kept += 1;
            }
        }
        self.pieces.truncate(kept);
        self.note(wave, Touch { first: first as u32, count: (kept - first) as u16, turns: 0 });
    }

    /// Notes that the last instruction of a wave took so many turns of the LDS, besides those that it took already.
    pub(crate) fn took(&mut self, wave: usize, turns: u64) {
        let before = self.waves.get(wave).and_then(|steps| steps.last()).map_or(0, |step| self.turns(*step));
        self.note(wave, Touch { turns: (before + turns) as u16, ..Touch::default() });
    }

    fn note(&mut self, wave: usize, touch: Touch) {
        if let Some(step) = self.waves.get_mut(wave).and_then(|steps| steps.last_mut()) {
            step.touch = self.touches.len() as u32;
            self.touches.push(touch);
        }
    }

    /// The pieces that it touched, as often as it did.
    pub(crate) fn all_pieces(&self) -> impl Iterator<Item = u64> {
        self.pieces.iter().copied()
    }

    /// All pieces, sorted, each once.
    pub(crate) fn distinct(&self) -> Vec<u64> {
        let mut all = self.pieces.clone();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// How a launch uses an allocation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    /// Its pieces.
    pub(super) first: u64,
    pub(super) end: u64,
    /// Bytes that the launch touches, as far as the workgroups that ran tell.
    pub(super) bytes: u64,
    /// Of the pieces that a unit touches first, the share that no other unit has touched at about the same time. What was touched long
    /// before is in the L2 only if all that the launch touches is.
    pub(super) new: f64,
}

impl Trace {
    /// How the launch uses each allocation, if its workgroups are spread evenly over `units` units, each of which has `resident` of them
    /// at once.
    pub(super) fn uses(&self, units: f64, resident: usize) -> Vec<Use> {
        let ran: Vec<Vec<u64>> = self.workgroups.iter().map(Workgroup::distinct).collect();
        let of_unit: HashSet<u64> = ran.iter().take(resident.max(1)).flatten().copied().collect();
        let of = |region: &Range<u64>| {
            let (first, end) = (region.start / PIECE, region.end.div_ceil(PIECE));
            let is_own = |piece: &&u64| (first..end).contains(*piece);
            let size = (end - first) as f64;
            let each = ran.iter().flatten().filter(is_own).count() as f64 / ran.len().max(1) as f64;
            let card = (each * self.blocks as f64).min(size);
            let unit = of_unit.iter().filter(is_own).count() as f64;
            let window = self.window.distinct(first, end).min(card);
            let new = (window / (unit * units).max(1.)).min(1.);
            Use { first, end, bytes: (card * PIECE as f64) as u64, new }
        };
        self.regions.iter().map(of).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn touched_pieces_are_counted_once() {
        let mut workgroup = Workgroup::default();
        workgroup.executed(1, 7);
        workgroup.touched(1, &[(128, 132), (60, 68), (130, 134)]);
        workgroup.executed(1, 8);
        workgroup.took(1, 2);
        workgroup.took(1, 3);
        let [first, second] = workgroup.waves[1][..] else { panic!() };
        assert_eq!(
            (first.operation, workgroup.pieces(first), workgroup.turns(first)),
            (7, &[0, 1, 2][..], 0)
        );
        assert_eq!((second.operation, workgroup.pieces(second), workgroup.turns(second)), (8, &[][..], 5));
    }

    #[test]
    fn what_all_units_share_is_fetched_once() {
        // Eight workgroups on four units: each reads the same vector of 2 pieces, and 4 pieces of its own.
        let workgroup = |own: u64| {
            let mut workgroup = Workgroup::default();
            workgroup.executed(0, 0);
            workgroup.touched(0, &[(0, 2 * PIECE)]);
            workgroup.executed(0, 0);
            workgroup.touched(0, &[((100 + own * 4) * PIECE, (104 + own * 4) * PIECE)]);
            workgroup
        };
        let mut trace = Trace {
            kernel: String::new(),
            blocks: 8,
            waves: 1,
            registers: 1,
            lds: 0,
            operations: Vec::new(),
            workgroups: vec![workgroup(0), workgroup(4)],
            window: Window {
                workgroups: 8,
                samples: [0, 2, 4, 6].map(|own| workgroup(own).distinct()).into(),
            },
            later_instructions: None,
            regions: vec![0..2 * PIECE, 100 * PIECE..1000 * PIECE],
            arguments: Vec::new(),
        };
        let [vector, matrix] = trace.uses(4., 2)[..] else { panic!() };
        assert_eq!((vector.bytes, vector.new), (2 * PIECE, 0.25));
        assert_eq!((matrix.bytes, matrix.new), (32 * PIECE, 1.));
        // Pairs of workgroups have the same rows, one after the other.
        trace.window.samples = [0, 0, 1, 1].map(|own| workgroup(own).distinct()).into();
        assert_eq!(trace.uses(4., 2)[1].new, 0.5);
        // Workgroups that have twice as many rows as others come first.
        let two = |own: u64| [workgroup(own).distinct(), workgroup(own + 40).distinct()].concat();
        trace.window.samples = vec![two(0), two(2), workgroup(4).distinct(), workgroup(6).distinct()];
        (trace.blocks, trace.window.workgroups) = (64, 64);
        assert_eq!(trace.uses(32., 2)[1].new, 1.);
        (trace.blocks, trace.window.workgroups) = (8, 8);
        // Those that have the same rows come much later.
        trace.regions[1].end = (100 + 16) * PIECE;
        trace.window.samples = [0, 1, 2, 3].map(|own| workgroup(own).distinct()).into();
        let matrix = trace.uses(4., 1)[1];
        assert_eq!((matrix.bytes, matrix.new), (16 * PIECE, 1.));
    }
}
