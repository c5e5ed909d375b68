//! Candidates that serve calls while they are timed.
//!
//! Such a call is served between two events on the stream. Nobody waits for them: later calls look whether they are done. While a class
//! of shapes is undecided, its candidates take turns; once all have enough times, the trial is decided.

use std::cell::Cell;
use std::collections::VecDeque;
use std::time::Instant;

use rustc_hash::FxHashMap;

use super::class::Class;
use super::text::Choice;
use super::trial::{Candidates, Sample, Trial};
use crate::hip::{Event, Stream};
use crate::{Result, RocmDevice};

/// Undecided classes at most. Programs whose shapes never come again do not fill the memory with them.
const MOST_TRIALS: usize = 512;
/// Timed calls on the stream at most.
const MOST_PENDING: usize = 256;

thread_local! {
    /// Whether a candidate that is being timed runs on this thread: what it calls is not timed, and goes by what is decided.
    static IN_TRIAL: Cell<bool> = const { Cell::new(false) };
}

pub(super) fn in_trial() -> bool {
    IN_TRIAL.get()
}

/// Until it is dropped, also by a panic.
struct InTrial;

impl InTrial {
    fn begin() -> Self {
        IN_TRIAL.set(true);
        Self
    }
}

impl Drop for InTrial {
    fn drop(&mut self) {
        IN_TRIAL.set(false);
    }
}

/// The trials of a device.
#[derive(Default)]
pub(super) struct Trials {
    open: FxHashMap<Class, Trial>,
    pending: VecDeque<TimedCall>,
    /// Events that are free.
    events: Vec<Event>,
    /// Calls that began, to see whether others came during one that is timed.
    calls: usize,
}

/// A call that is being timed.
pub(super) struct TimedCall {
    class: Class,
    pub(super) candidate: u8,
    /// Whether that is what the fixed rule chooses.
    pub(super) is_fixed: bool,
    start: Event,
    end: Event,
    began: Instant,
    /// Milliseconds that the call took the host.
    host: f32,
    /// The stream's count at the start; later how many were launched.
    launches: usize,
    calls: usize,
    /// Whether the stream had nothing to do when the call began.
    idle: bool,
}

impl TimedCall {
    /// What it says, if it took the device so many milliseconds.
    fn sample(&self, device: f32) -> Sample {
        let &Self { host, launches, idle, .. } = self;
        // A library may take the host longer than the card. A row of such calls takes what the longer part does, and the host's part of
        // a time counts either way. Other candidates are kernels, whose launches wait behind other work.
        let with_host = self.class.decision().guessed;
        Sample {
            milliseconds: if with_host { device.max(host) } else { device },
            launches,
            idle: idle && !with_host,
        }
    }
}

impl Trials {
    pub(super) fn open(&self) -> usize {
        self.open.len()
    }

    /// The class is decided otherwise: times of calls that are still on the stream say nothing.
    pub(super) fn close(&mut self, class: Class) {
        self.open.remove(&class);
    }

    /// A call that is not timed.
    pub(super) fn note_call(&mut self) {
        self.calls += 1;
    }

    /// Begins to time a call, if there is a candidate whose turn it is.
    pub(super) fn start(
        &mut self,
        device: &RocmDevice,
        class: Class,
        candidates: impl FnOnce() -> Candidates,
    ) -> Option<TimedCall> {
        self.calls += 1;
        if self.pending.len() >= MOST_PENDING
            || (self.open.len() >= MOST_TRIALS && !self.open.contains_key(&class))
        {
            return None;
        }
        let trial = self.open.entry(class).or_insert_with(|| Trial::new(&candidates()));
        let (candidate, is_fixed) = trial.start().map(|candidate| (candidate, candidate == trial.fixed()))?;
        let stream = device.queue().stream();
        let started = self.events(device).filter(|(start, _)| start.record(stream).is_ok());
        let Some((start, end)) = started else {
            // The next call tries again.
            self.finish(class, candidate, None);
            return None;
        };
        let (launches, calls) = (stream.launches(), self.calls);
        let began = Instant::now();
        Some(TimedCall {
            class,
            candidate,
            is_fixed,
            start,
            end,
            began,
            host: 0.0,
            launches,
            calls,
            idle: false,
        })
    }

    fn events(&mut self, device: &RocmDevice) -> Option<(Event, Event)> {
        let mut event = || self.events.pop().or_else(|| Event::timed(device.hip_device()).ok());
        event().zip(event())
    }

    fn finish(&mut self, class: Class, candidate: u8, sample: Option<Sample>) {
        if let Some(trial) = self.open.get_mut(&class) {
            trial.finish(candidate, sample);
        }
    }

    /// The call is on the stream.
    pub(super) fn end(&mut self, stream: &Stream, mut call: TimedCall) {
        call.host = call.began.elapsed().as_secs_f32() * 1e3;
        call.launches = stream.launches().saturating_sub(call.launches);
        // In a busy stream, the start still waits for what is before it.
        call.idle = call.start.is_done().unwrap_or(true);
        let alone = self.calls == call.calls;
        if alone && call.end.record(stream).is_ok() {
            self.pending.push_back(call);
        } else {
            self.discard(call);
        }
    }

    /// The call says nothing.
    pub(super) fn discard(&mut self, call: TimedCall) {
        self.finish(call.class, call.candidate, None);
        self.events.extend([call.start, call.end]);
    }

    /// The candidate failed where the fixed choice did not.
    pub(super) fn fail(&mut self, call: TimedCall) {
        if let Some(trial) = self.open.get_mut(&call.class) {
            trial.fail(call.candidate);
        }
        self.events.extend([call.start, call.end]);
    }

    /// Takes the times of calls that the stream is done with, and returns what is decided now. The flag says whether there
    /// was more than one candidate.
    pub(super) fn poll(&mut self, class: Class) -> Vec<(Choice, bool)> {
        let mut decided = Vec::new();
        let mut seen = Some(class);
        // In the order of the stream.
        while let Some(call) = self.pending.pop_front() {
            let milliseconds = match call.end.is_done() {
                Ok(false) => {
                    self.pending.push_front(call);
                    break;
                }
                Ok(true) => call.end.elapsed_ms(&call.start).ok(),
                Err(_) => None,
            };
            let sample = milliseconds.map(|device| call.sample(device));
            self.finish(call.class, call.candidate, sample);
            decided.extend(self.decide(call.class));
            seen = seen.filter(|&class| class != call.class);
            self.events.extend([call.start, call.end]);
        }
        // One that a failure decided has nothing pending.
        decided.extend(seen.and_then(|class| self.decide(class)));
        decided
    }

    fn decide(&mut self, class: Class) -> Option<(Choice, bool)> {
        let trial = self.open.get(&class)?;
        let winner = trial.winner()?;
        let contested = trial.is_contested();
        self.open.remove(&class);
        Some(((class, winner), contested))
    }
}

/// Runs a candidate: what it calls is not timed.
pub(super) fn run_timed<R>(run: impl FnOnce() -> Result<R>) -> Result<R> {
    let _inside = InTrial::begin();
    run()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::HOST;
    use crate::tuning::decision::Decision;

    /// Of libraries the host's time counts, as that is what a row of calls takes.
    #[test]
    fn the_hosts_time_counts_for_libraries() {
        let device = RocmDevice::on(HOST, 0).unwrap();
        let sample = |class| {
            let [start, end] = [(); 2].map(|()| Event::timed(device.hip_device()).unwrap());
            let (began, host) = (Instant::now(), 0.5);
            let call = TimedCall {
                class,
                candidate: 1,
                is_fixed: false,
                start,
                end,
                began,
                host,
                launches: 2,
                calls: 0,
                idle: true,
            };
            [0.25, 1.0].map(|device| call.sample(device)).map(|sample| (sample.milliseconds, sample.idle))
        };
        let convolution =
            Decision::named("convolution").expect("it is one").class(&[2, 0, 0, 0, 0], &[64, 64, 9, 1]);
        assert_eq!(sample(convolution), [(0.5, false), (1.0, false)]);
        let matmul = Decision::named("matmul").expect("it is one").class(&[2, 0, 0, 0, 0, 0], &[1, 1, 64, 1]);
        assert_eq!(sample(matmul), [(0.25, true), (1.0, true)]);
    }
}
