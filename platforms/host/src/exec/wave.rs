//! A wavefront: the lanes that wait for each other, and what they exchange.

use super::abi;
use super::fiber::Site;

/// The widest wavefront there is.
pub(crate) const MAX: usize = 64;

/// The lanes of a wavefront that wait at an operation.
pub(crate) struct Wave {
    /// Which lanes wait.
    pub(crate) waiting: u64,
    /// Whether all of them wait for the same operation in the same line.
    uniform: bool,
    operation: [u32; MAX],
    site: [Site; MAX],
    value: [u64; MAX],
    source: [u32; MAX],
    /// The result of each lane's last operation.
    pub(crate) result: [u64; MAX],
    /// The fiber of each lane that waits.
    pub(crate) fiber: [u32; MAX],
}

/// An operation that some lanes have completed.
pub(crate) struct Done {
    pub(crate) lanes: u64,
    /// A lane that read from an inactive lane, and where.
    pub(crate) inactive: Option<(u32, u32, Site)>,
}

impl Wave {
    pub(crate) fn new() -> Self {
        Self {
            waiting: 0,
            uniform: true,
            operation: [0; MAX],
            site: [Site::NOWHERE; MAX],
            value: [0; MAX],
            source: [0; MAX],
            result: [0; MAX],
            fiber: [0; MAX],
        }
    }

    /// A lane arrives at an operation.
    #[inline]
    pub(crate) fn arrive(
        &mut self,
        lane: usize,
        fiber: u32,
        operation: u32,
        value: u64,
        source: u32,
        site: Site,
    ) {
        if self.waiting == 0 {
            self.uniform = true;
        } else {
            let first = self.waiting.trailing_zeros() as usize;
            let same = self.site[first].line == site.line
                && std::ptr::eq(self.site[first].file, site.file)
                && self.operation[first] == operation;
            self.uniform &= same;
        }
        self.waiting |= 1 << lane;
        self.operation[lane] = operation;
        self.site[lane] = site;
        self.value[lane] = value;
        self.source[lane] = source;
        self.fiber[lane] = fiber;
    }

    /// Executes the operation that comes first in the source, for the lanes that wait there.
    ///
    /// When lanes wait in different lines, those further up continue first, so that lanes still in a loop catch up with
    /// those that have left it.
    pub(crate) fn resolve(&mut self) -> Done {
        let mut lanes = self.waiting;
        if !self.uniform {
            let first = ones(lanes)
                .min_by(|&a, &b| {
                    let key = |lane: usize| {
                        (self.site[lane].order(), self.site[lane].file_name(), self.operation[lane])
                    };
                    key(a).cmp(&key(b))
                })
                .unwrap_or(0);
            lanes = ones(lanes)
                .filter(|&lane| {
                    self.site[lane].is(self.site[first]) && self.operation[lane] == self.operation[first]
                })
                .fold(0, |lanes, lane| lanes | 1 << lane);
        }
        self.waiting &= !lanes;
        let inactive = self.carry_out(lanes);
        if !self.uniform {
            self.uniform = self.is_uniform();
        }
        Done { lanes, inactive }
    }

    fn is_uniform(&self) -> bool {
        let first = self.waiting.trailing_zeros() as usize;
        ones(self.waiting)
            .all(|lane| self.site[lane].is(self.site[first]) && self.operation[lane] == self.operation[first])
    }

    fn carry_out(&mut self, lanes: u64) -> Option<(u32, u32, Site)> {
        let mut inactive = None;
        match self.operation[lanes.trailing_zeros() as usize % MAX] {
            abi::BALLOT => {
                let mask = ones(lanes)
                    .filter(|&lane| self.value[lane] != 0)
                    .fold(0, |mask, lane| mask | 1u64 << lane);
                ones(lanes).for_each(|lane| self.result[lane] = mask);
            }
            abi::MATCH => {
                for lane in ones(lanes) {
                    self.result[lane] = ones(lanes)
                        .filter(|&other| self.value[other] == self.value[lane])
                        .fold(0, |mask, other| mask | 1 << other);
                }
            }
            // An exchange.
            _ => {
                for lane in ones(lanes) {
                    let source = self.source[lane];
                    let active = source < MAX as u32 && lanes >> source & 1 != 0;
                    self.result[lane] = if active { self.value[source as usize] } else { 0 };
                    if !active && inactive.is_none() {
                        inactive = Some((lane as u32, source, self.site[lane]));
                    }
                }
            }
        }
        inactive
    }
}

/// The positions of the bits that are set.
pub(crate) fn ones(mut mask: u64) -> impl Iterator<Item = usize> + Clone {
    std::iter::from_fn(move || {
        (mask != 0).then(|| {
            let bit = mask.trailing_zeros() as usize;
            mask &= mask - 1;
            bit
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: Site = Site { line: 3, file: c"a.hip".as_ptr() };
    const THERE: Site = Site { line: 9, file: c"a.hip".as_ptr() };

    #[test]
    fn lanes_in_one_line_go_together() {
        let mut wave = Wave::new();
        for lane in 0..32usize {
            wave.arrive(lane, lane as u32, abi::EXCHANGE, 100 + lane as u64, (lane as u32 + 1) % 32, HERE);
        }
        let done = wave.resolve();
        assert_eq!((done.lanes, wave.waiting, done.inactive.is_none()), (0xffff_ffff, 0, true));
        assert_eq!((wave.result[0], wave.result[31]), (101, 100));
    }

    #[test]
    fn lanes_further_up_go_first() {
        let mut wave = Wave::new();
        wave.arrive(0, 0, abi::BALLOT, 1, 0, THERE);
        wave.arrive(1, 1, abi::BALLOT, 1, 0, HERE);
        wave.arrive(2, 2, abi::BALLOT, 0, 0, HERE);
        assert_eq!(wave.resolve().lanes, 0b110);
        assert_eq!(wave.result[2], 0b010);
        assert_eq!(wave.resolve().lanes, 0b001);
        assert_eq!(wave.waiting, 0);
    }

    #[test]
    fn reading_from_a_lane_that_is_elsewhere_is_noticed() {
        let mut wave = Wave::new();
        wave.arrive(5, 0, abi::EXCHANGE, 7, 6, HERE);
        let done = wave.resolve();
        assert!(matches!(done.inactive, Some((5, 6, _))));
        assert_eq!(wave.result[5], 0);
    }

    #[test]
    fn matches() {
        let mut wave = Wave::new();
        for lane in 0..4usize {
            wave.arrive(lane, 0, abi::MATCH, lane as u64 % 2, 0, HERE);
        }
        wave.resolve();
        assert_eq!(wave.result[..4], [0b0101, 0b1010, 0b0101, 0b1010]);
    }
}
