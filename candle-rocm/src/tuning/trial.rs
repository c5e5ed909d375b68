//! Which candidate is the fastest: decided from times, wherever they come from.

use smallvec::SmallVec;

use super::class::Class;
use super::contest::Contest;
use super::decision::Candidate;

/// Times of a candidate that count. Its first run, which may load or compile, does not.
const SAMPLES: usize = 7;
/// A candidate whose times do not count that often, as other work ran meanwhile, does not win.
const MOST_RUNS: usize = 4 * SAMPLES;
/// The fixed choice is replaced by a candidate that takes at most this part of its time.
const CLEARLY_FASTER: f32 = 0.95;
/// The same where the stream was idle, so that times include what the host took for the call. In a busy stream that is hidden, and a
/// library that takes the host longer may be the faster one.
const FASTER_IN_IDLE_STREAM: f32 = 0.6;
/// Milliseconds of which the host's part is small.
const LONG: f32 = 1.0;
/// A candidate with two times that is so much slower than the fixed choice is not run again.
const HOPELESS: f32 = 2.0;

/// The candidates for a class of shapes.
pub(crate) struct Candidates {
    /// What the fixed rule chooses.
    fixed: u8,
    others: SmallVec<[u8; 8]>,
    /// The class that the call has where libraries can be asked, if the rule chooses the same there.
    with_libraries: Option<Class>,
}

impl Candidates {
    /// The rule's choice, and all others that fit.
    pub(crate) fn new<C: Candidate>(fixed: C, fits: impl Fn(C) -> bool) -> Self {
        let others = C::ALL.iter().copied().filter(|&candidate| candidate != fixed && fits(candidate));
        Self { fixed: fixed.index(), others: others.map(C::index).collect(), with_libraries: None }
    }

    pub(crate) fn with_libraries(self, class: Option<Class>) -> Self {
        Self { with_libraries: class, ..self }
    }

    /// See [`Contest`]; `None` unless a model of time may choose between several.
    pub(super) fn contest(&self, class: Class) -> Option<Contest> {
        let decision = class.decision();
        let name = |&index: &u8| decision.candidates.get(usize::from(index)).copied();
        let predictable = |index: &u8| name(index).filter(|name| decision.predictable.contains(name));
        let others: Vec<_> = self.others.iter().filter_map(predictable).collect();
        let fixed = predictable(&self.fixed).filter(|_| !others.is_empty())?;
        Some(Contest { class, with_libraries: self.with_libraries, fixed, others })
    }

    /// The rule's choice, and those that come to something else than the rule's and earlier ones. `of` is what a candidate comes to.
    pub(crate) fn distinct<C: Candidate, P: PartialEq>(fixed: C, of: impl Fn(C) -> P) -> Self {
        let rule = of(fixed);
        Self::new(fixed, |candidate| {
            let own = of(candidate);
            let earlier = C::ALL.iter().take_while(|&&earlier| earlier != candidate);
            own != rule && earlier.copied().all(|earlier| of(earlier) != own)
        })
    }
}

/// A run of a candidate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub(super) milliseconds: f32,
    /// Kernels that were launched meanwhile. A run with more of them than others of this candidate had was disturbed.
    pub(super) launches: usize,
    /// Whether the stream had nothing to do when the run began.
    pub(super) idle: bool,
}

/// Candidates for a class of shapes that take turns.
pub(super) struct Trial {
    /// The first one is the fixed choice's.
    series: SmallVec<[Series; 8]>,
}

struct Series {
    candidate: u8,
    runs: usize,
    pending: usize,
    launches: usize,
    times: SmallVec<[f32; SAMPLES]>,
    /// Whether these times have the host's part in them.
    idle: bool,
    warm: bool,
    out: bool,
}

impl Series {
    fn new(candidate: u8) -> Self {
        let times = SmallVec::new();
        let launches = usize::MAX;
        Self { candidate, runs: 0, pending: 0, launches, times, idle: false, warm: false, out: false }
    }

    fn is_decided(&self) -> bool {
        self.times.len() >= SAMPLES
    }

    fn wants_to_run(&self) -> bool {
        let missing = SAMPLES + usize::from(!self.warm);
        !self.out && self.runs < MOST_RUNS && self.times.len() + self.pending < missing
    }

    fn best(&self) -> f32 {
        self.times.iter().copied().fold(f32::INFINITY, f32::min)
    }

    fn median(&self) -> f32 {
        let mut sorted = self.times.clone();
        sorted.sort_unstable_by(f32::total_cmp);
        sorted.get(sorted.len() / 2).copied().unwrap_or(f32::INFINITY)
    }

    /// By its median, and by its shortest time: what disturbs a run makes it longer.
    fn is_clearly_faster_than(&self, fixed: &Self) -> bool {
        let decided = self.is_decided() && fixed.is_decided();
        let times = [(self.median(), fixed.median()), (self.best(), fixed.best())];
        let part = if self.idle || fixed.idle { FASTER_IN_IDLE_STREAM } else { CLEARLY_FASTER };
        decided && times.iter().all(|(time, fixed)| *time <= part * fixed)
    }
}

impl Trial {
    pub(super) fn new(candidates: &Candidates) -> Self {
        let all = std::iter::once(candidates.fixed).chain(candidates.others.iter().copied());
        Self { series: all.map(Series::new).collect() }
    }

    /// What the fixed rule chooses.
    pub(super) fn fixed(&self) -> u8 {
        self.series[0].candidate
    }

    /// Whether there is more than the fixed choice.
    pub(super) fn is_contested(&self) -> bool {
        self.series.len() > 1
    }

    /// Who runs next: who ran least, twice in a row, as what a library prepares for one call serves the next. `None` while all wait for
    /// their times.
    pub(super) fn start(&mut self) -> Option<u8> {
        let waiting = self.series.iter_mut().filter(|series| series.wants_to_run());
        let series = waiting.min_by_key(|series| series.runs / 2)?;
        series.runs += 1;
        series.pending += 1;
        Some(series.candidate)
    }

    /// A run is done; `None` if its time says nothing.
    pub(super) fn finish(&mut self, candidate: u8, sample: Option<Sample>) {
        let fixed = (self.series[0].times.len() >= 2).then(|| self.series[0].best());
        let Some(at) = self.series.iter().position(|series| series.candidate == candidate) else { return };
        let series = &mut self.series[at];
        series.pending = series.pending.saturating_sub(1);
        let Some(sample) = sample else { return };
        if !std::mem::replace(&mut series.warm, true) || sample.launches > series.launches {
            return;
        }
        let idle = sample.idle && sample.milliseconds < LONG;
        // Once there is a time without the host's part, those with it do not count.
        if sample.launches < series.launches || (series.idle && !idle) {
            series.times.clear();
            series.launches = sample.launches;
        } else if idle && !series.idle && !series.times.is_empty() {
            return;
        }
        series.times.push(sample.milliseconds);
        series.idle = idle;
        let hopeless = fixed.is_some_and(|fixed| series.best() > HOPELESS * fixed);
        series.out |= at > 0 && series.times.len() >= 2 && hopeless;
    }

    /// A candidate failed: it does not run again.
    pub(super) fn fail(&mut self, candidate: u8) {
        for series in self.series.iter_mut().filter(|series| series.candidate == candidate) {
            series.pending = series.pending.saturating_sub(1);
            series.out = true;
        }
    }

    /// The choice, once there is one: the fixed one, unless another is clearly faster.
    pub(super) fn winner(&self) -> Option<u8> {
        let (fixed, others) = self.series.split_first()?;
        if others.iter().all(|series| series.out) {
            return Some(fixed.candidate);
        }
        if self.series.iter().any(|series| !series.out && (series.pending > 0 || series.wants_to_run())) {
            return None;
        }
        let fastest = others.iter().filter(|series| !series.out && series.is_clearly_faster_than(fixed));
        let fastest = fastest.min_by(|a, b| a.median().total_cmp(&b.median()));
        Some(fastest.map_or(fixed.candidate, |series| series.candidate))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIXED: u8 = 3;

    /// Those of tests.
    impl Candidate for u8 {
        const ALL: &'static [Self] = &[0, 1, 2, 3];

        fn index(self) -> u8 {
            self
        }
    }

    fn among(others: &[u8]) -> Candidates {
        Candidates::new(FIXED, |candidate| others.contains(&candidate))
    }

    /// The winner and the number of runs of each candidate, where the clock says `time(candidate, run)`; `None` is a failure.
    fn decide(candidates: &[u8], mut time: impl FnMut(u8, usize) -> Option<Sample>) -> (u8, Vec<usize>) {
        let mut trial = Trial::new(&among(candidates));
        for _ in 0..1000 {
            if let Some(winner) = trial.winner() {
                return (winner, trial.series.iter().map(|series| series.runs).collect());
            }
            let candidate = trial.start().expect("nothing is pending");
            let runs = trial.series.iter().find(|series| series.candidate == candidate).unwrap().runs;
            match time(candidate, runs) {
                Some(sample) => trial.finish(candidate, Some(sample)),
                None => trial.fail(candidate),
            }
        }
        panic!("no decision");
    }

    fn took(milliseconds: f32) -> Option<Sample> {
        Some(Sample { milliseconds, launches: 1, idle: false })
    }

    #[test]
    fn the_fastest_wins() {
        let times = |candidate, _| took([0.9, 0.5, 0.7, 1.0][usize::from(candidate)]);
        assert_eq!(decide(&[0, 1, 2], times), (1, vec![8; 4]));
        assert_eq!(decide(&[], times).0, FIXED);
    }

    #[test]
    fn a_small_advantage_is_none() {
        for (time, winner) in [(0.96, FIXED), (0.94, 0), (1.2, FIXED)] {
            let times = |candidate, _| took(if candidate == FIXED { 1.0 } else { time });
            assert_eq!(decide(&[0], times).0, winner, "{time}");
        }
    }

    /// Half of the time may be the host's.
    #[test]
    fn an_idle_stream_needs_a_large_advantage() {
        for (time, idle, winner) in [(0.8, FIXED, FIXED), (0.8, 0, FIXED), (0.8, 9, 0), (0.5, 0, 0)] {
            // Of what takes long, the host's part is small.
            for (unit, winner) in [(0.1, winner), (10.0, 0)] {
                let times = |candidate, _| {
                    let milliseconds = unit * if candidate == FIXED { 1.0 } else { time };
                    Some(Sample { milliseconds, launches: 1, idle: candidate == idle })
                };
                assert_eq!(decide(&[0], times).0, winner, "{time} {idle} {unit}");
            }
        }
    }

    /// After a synchronization the stream is idle, for one call of several.
    #[test]
    fn busy_runs_replace_idle_ones() {
        for first in [1, 3, 4] {
            let times = |candidate, run| {
                let idle = run % 4 == first % 4;
                let milliseconds = if candidate == FIXED { 0.1 } else { 0.08 };
                Some(Sample { milliseconds: milliseconds + if idle { 0.1 } else { 0.0 }, launches: 1, idle })
            };
            let (winner, runs) = decide(&[0], times);
            assert!(winner == 0 && runs[0] > 8, "{first}, {runs:?}");
        }
    }

    /// Neither the first run nor a few odd ones decide.
    #[test]
    fn medians_count() {
        let times = |candidate, run| match (candidate, run) {
            (_, 1) => took(if candidate == FIXED { 0.001 } else { 1000.0 }),
            (FIXED, 2..=4) => took(50.0),
            (0, 2..=4) => took(0.9),
            (FIXED, _) => took(1.0),
            _ => took(1.5),
        };
        assert_eq!(decide(&[0], times).0, FIXED);
    }

    /// A lucky median is not enough.
    #[test]
    fn shortest_times_count_too() {
        let times = |candidate, run| match (candidate, run) {
            (FIXED, run) => took(if run == 3 { 1.0 } else { 1.2 }),
            _ => took(0.98),
        };
        assert_eq!(decide(&[0], times).0, FIXED);
    }

    #[test]
    fn who_fails_is_out() {
        let times = |candidate, run| match candidate {
            FIXED => took(1.0),
            0 => None,
            1 if run == 4 => None,
            _ => took(0.1 * f32::from(candidate)),
        };
        assert_eq!(decide(&[0, 1, 2], times), (2, vec![8, 1, 4, 8]));
        assert_eq!(decide(&[0, 1], times).0, FIXED);
    }

    #[test]
    fn the_hopeless_do_not_run_again() {
        let (winner, runs) =
            decide(&[0, 1], |candidate, _| took([9.0, 0.5, 0.0, 1.0][usize::from(candidate)]));
        assert_eq!((winner, runs), (1, vec![8, 3, 8]));
    }

    #[test]
    fn disturbed_runs_do_not_count() {
        // Other kernels ran in the candidate's window, and made it look slow.
        let times = |candidate, run| match (candidate, run) {
            (FIXED, _) => took(1.0),
            (_, 2 | 5 | 6) => Some(Sample { milliseconds: 5.0, launches: 3, idle: true }),
            _ => took(0.5),
        };
        let (winner, runs) = decide(&[0], times);
        assert_eq!((winner, runs[1] > 8), (0, true));
        // Nothing but disturbance.
        let mut trial = Trial::new(&among(&[0]));
        for _ in 0..2 * MOST_RUNS {
            let candidate = trial.start().unwrap();
            trial.finish(candidate, None);
        }
        assert_eq!((trial.start(), trial.winner()), (None, Some(FIXED)));
    }

    #[test]
    fn the_same_by_another_name_does_not_run() {
        let others = |fixed: u8, of: [u8; 4]| {
            Candidates::distinct(fixed, |candidate: u8| of[usize::from(candidate)]).others.to_vec()
        };
        assert_eq!(others(3, [1, 1, 2, 2]), [0]);
        assert_eq!(others(1, [1, 2, 2, 3]), [0, 3]);
    }

    #[test]
    fn nobody_runs_while_all_wait() {
        let mut trial = Trial::new(&among(&[0, 1]));
        let started: Vec<u8> = std::iter::from_fn(|| trial.start()).collect();
        assert_eq!(started.len(), 3 * (SAMPLES + 1));
        assert_eq!(started[..8], [FIXED, FIXED, 0, 0, 1, 1, FIXED, FIXED]);
        assert_eq!(trial.winner(), None);
    }
}
