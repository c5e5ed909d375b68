//! Times a case: both sides alternately, several rounds of a few milliseconds each.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use candle_core::{Result, Tensor};

use crate::case::{Case, Run};
use crate::compare;
use crate::row::Row;
use crate::side::Side;

/// Calls are timed in batches of about this duration, so that the synchronization at the end is negligible.
const BATCH_TIME: Duration = Duration::from_millis(4);
/// Maximum calls per batch.
const MAX_CALLS: usize = 2000;
/// Batches for candidates of choices by measurement.
const MAX_TURNS: usize = 100;

/// A case on one side, warmed up.
struct Lane<'a> {
    side: &'a Side,
    /// Whether it is the baseline.
    is_stock: bool,
    run: Run,
    calls: usize,
    times: Vec<f64>,
    /// Classes of shapes that were undecided before its first call.
    undecided: usize,
}

/// Times the case on both sides and compares the results. Failures are recorded in the row.
pub(crate) fn measure(case: &Case, ours: &Side, stock: Option<&Side>, rounds: usize) -> Row {
    let mut row = Row::of(case);
    let mut problems = Vec::new();
    let mut lanes = Vec::new();
    let mut results = Vec::new();
    for (side, is_stock) in [(Some(ours), false), (stock, true)] {
        let Some(side) = side else { continue };
        match guarded(|| warm(case, side)) {
            Ok((lane, result)) => {
                lanes.push(Lane { is_stock, ..lane });
                results.push((side, result));
            }
            Err(why) => problems.push(format!("{}: {why}", side.name)),
        }
    }
    if let ([(ours, a), (stock, b)], Some(_)) = (&results[..], case.tolerance) {
        match guarded(|| difference(case, (ours, a), (stock, b))) {
            Ok(difference) => row.difference = Some(difference),
            Err(why) => problems.push(format!("cannot compare the results: {why}")),
        }
    }
    drop(results);
    'rounds: for _ in 0..rounds {
        for lane in &mut lanes {
            if let Err(why) = guarded(|| lane.round()) {
                problems.push(format!("{}: {why}", lane.side.name));
                break 'rounds;
            }
        }
    }
    for lane in lanes.iter_mut().filter(|lane| !lane.times.is_empty()) {
        let micros = median(&mut lane.times) / case.calls as f64 * 1e6;
        match lane.is_stock {
            false => row.ours = Some(micros),
            true => row.stock = Some(micros),
        }
    }
    row.ours_failed = row.ours.is_none();
    row.note = problems.join("; ").replace(['\t', '\n'], " ");
    row
}

/// The median time of one call, in seconds, on one side.
pub(crate) fn alone(side: &Side, rounds: usize, run: Run) -> Result<f64> {
    let mut lane = Lane::new(side, run);
    lane.calibrate()?;
    for _ in 0..rounds {
        lane.round()?;
    }
    Ok(median(&mut lane.times))
}

fn warm<'a>(case: &Case, side: &'a Side) -> Result<(Lane<'a>, Tensor)> {
    let run = (case.build)(side)?;
    let mut lane = Lane::new(side, run);
    let result = (lane.run)()?;
    lane.calibrate()?;
    Ok((lane, result))
}

impl<'a> Lane<'a> {
    fn new(side: &'a Side, run: Run) -> Self {
        Self { side, is_stock: false, run, calls: 1, times: Vec::new(), undecided: side.undecided() }
    }

    /// Finds the number of calls per batch, which also warms up.
    fn calibrate(&mut self) -> Result<()> {
        self.batch()?;
        let side = self.side;
        side.warm(|| self.batch())?;
        for calls in [1, 30] {
            self.calls = calls;
            let each = self.batch()? / calls as f64;
            let calls = (BATCH_TIME.as_secs_f64() / each.max(1e-9)) as usize;
            self.calls = calls.clamp(1, MAX_CALLS);
            // A single short call is not representative of many.
            if self.calls < 30 {
                break;
            }
        }
        // Until candidates no longer take turns.
        for _ in 0..MAX_TURNS {
            if self.side.undecided() <= self.undecided {
                break;
            }
            self.batch()?;
        }
        Ok(())
    }

    fn batch(&mut self) -> Result<f64> {
        self.side.synchronize()?;
        let start = Instant::now();
        for _ in 0..self.calls {
            let result = (self.run)()?;
            self.side.submit();
            drop(result);
        }
        self.side.synchronize()?;
        Ok(start.elapsed().as_secs_f64())
    }

    fn round(&mut self) -> Result<()> {
        let time = self.batch()?;
        self.times.push(time / self.calls as f64);
        Ok(())
    }
}

fn difference(case: &Case, ours: (&Side, &Tensor), stock: (&Side, &Tensor)) -> Result<f64> {
    let projected = |(side, result): (&Side, &Tensor)| match &case.project {
        Some(project) => project(side, result),
        None => Ok(result.clone()),
    };
    compare::difference(&projected(ours)?, &projected(stock)?)
}

/// Turns a panic of a backend into an error of the case.
pub(crate) fn guarded<T>(work: impl FnOnce() -> Result<T>) -> std::result::Result<T, String> {
    match catch_unwind(AssertUnwindSafe(work)) {
        // The rest is a backtrace.
        Ok(result) => result.map_err(|error| error.to_string().lines().next().unwrap_or_default().to_owned()),
        Err(panic) => Err(match (panic.downcast_ref::<String>(), panic.downcast_ref::<&str>()) {
            (Some(text), _) => text.clone(),
            (_, Some(text)) => (*text).to_owned(),
            _ => "a panic".to_owned(),
        }),
    }
}

pub(crate) fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
