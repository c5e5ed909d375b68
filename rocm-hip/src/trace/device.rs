//! When work on a stream began and ended, by events around it.

use serde_json::Value;

use crate::{Device, Event, Result, Stream};

/// Work whose times are not known yet.
pub(super) struct Pending {
    pub(super) category: &'static str,
    pub(super) name: String,
    pub(super) details: Value,
    start: Event,
    end: Event,
}

/// A stream that is traced.
pub(super) struct Track {
    pub(super) device: Device,
    pub(super) stream: u32,
    /// An event in the past, and when that was, in microseconds since the trace began. Recent, because HIP tells times between
    /// events as f32.
    anchor: (Event, f64),
    pending: Vec<Pending>,
}

impl Track {
    /// Waits for the stream: only then do the clocks of the host and the device show the same moment, as far as this thread was not
    /// interrupted meanwhile. The shortest of several waits counts.
    pub(super) fn new(stream: &Stream, now: impl Fn() -> f64) -> Result<Self> {
        const WAITS: usize = 5;
        let device = stream.device();
        let wait = || -> Result<(f64, (Event, f64))> {
            let event = Event::timed(device)?;
            let begin = now();
            event.record(stream)?;
            event.synchronize()?;
            let end = now();
            Ok((end - begin, (event, end)))
        };
        let mut shortest = wait()?;
        for _ in 1..WAITS {
            let next = wait()?;
            if next.0 < shortest.0 {
                shortest = next;
            }
        }
        Ok(Self { device, stream: stream.id(), anchor: shortest.1, pending: Vec::new() })
    }

    pub(super) fn push(
        &mut self,
        (start, end): (Event, Event),
        category: &'static str,
        name: String,
        details: Value,
    ) {
        self.pending.push(Pending { category, name, details, start, end });
    }

    pub(super) fn is_of(&self, stream: &Stream) -> bool {
        self.device == stream.device() && self.stream == stream.id()
    }

    pub(super) fn pending(&self) -> usize {
        self.pending.len()
    }

    /// What is done by now, with its start and duration.
    pub(super) fn done(&mut self) -> Vec<(Pending, f64, f64)> {
        let mut done = Vec::new();
        let count = self.pending.iter().take_while(|work| work.end.is_done().unwrap_or(false)).count();
        for work in self.pending.drain(..count) {
            let since = work.start.elapsed_ms(&self.anchor.0);
            let (Ok(since), Ok(took)) = (since, work.end.elapsed_ms(&work.start)) else { continue };
            let start = self.anchor.1 + f64::from(since) * 1e3;
            done.push((work, start, f64::from(took) * 1e3));
        }
        done
    }

    /// The end of this work is known: later times are counted from it.
    pub(super) fn set_anchor(&mut self, work: Pending, end: f64) {
        self.anchor = (work.end, end);
    }
}
