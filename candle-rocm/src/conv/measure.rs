//! Which algorithm was the fastest for a convolution.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use candle_core::DType;

use super::algorithm::Algorithm;
use super::problem::Problem;
use crate::hip::{Event, HipError};
use crate::{Result, RocmDevice, RocmError};

/// A problem with its dtype, and whether its operands are contiguous.
type Case = (Problem, DType, [bool; 2]);

/// The fastest algorithms on a device, by case.
#[derive(Default)]
pub(super) struct Measured(Mutex<HashMap<Case, Algorithm>>);

impl Measured {
    /// The fastest algorithm. `run` runs one, and returns false if it is not available.
    ///
    /// # Errors
    /// Those of `run`, but for a lack of memory, which rules an algorithm out.
    pub(super) fn fastest(
        &self,
        device: &RocmDevice,
        case: Case,
        run: impl FnMut(Algorithm) -> Result<bool>,
    ) -> Result<Algorithm> {
        let known = |algorithms: &HashMap<Case, Algorithm>| algorithms.get(&case).copied();
        if let Some(algorithm) = known(&self.0.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(algorithm);
        }
        let (problem, dtype, _) = case;
        let candidates = Algorithm::all(device.platform()).filter(|&algorithm| problem.has(algorithm, dtype));
        let algorithm = fastest(candidates, device, run)?;
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(case, algorithm);
        Ok(algorithm)
    }
}

/// The fastest of these, of which at least one is available.
fn fastest(
    algorithms: impl Iterator<Item = Algorithm>,
    device: &RocmDevice,
    mut run: impl FnMut(Algorithm) -> Result<bool>,
) -> Result<Algorithm> {
    let stopwatch = Stopwatch::new(device)?;
    let mut best = (Algorithm::Direct, f32::INFINITY);
    for algorithm in algorithms {
        match stopwatch.time(best.1, || run(algorithm)) {
            Ok(Some(time)) if time < best.1 => best = (algorithm, time),
            // Slower, not available, or in need of more memory than there is.
            Ok(_) | Err(RocmError::Hip(HipError::OutOfMemory { .. })) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(best.0)
}

/// Times the work queued on a device's stream.
struct Stopwatch<'a> {
    device: &'a RocmDevice,
    start: Event,
    end: Event,
}

impl<'a> Stopwatch<'a> {
    /// One call is enough for what takes longer than this, in milliseconds.
    const LONG: f32 = 2.0;
    /// Shorter calls are timed in rows of about that many milliseconds, to have the launches of one under algorithm while another
    /// runs, as in use: some libraries take longer to launch than the card does to compute.
    const ROW: f32 = 1.0;

    fn new(device: &'a RocmDevice) -> Result<Self> {
        let event = || Event::timed(device.hip_device());
        Ok(Self { device, start: event()?, end: event()? })
    }

    /// Milliseconds per call; `None` if `run` returns false. What takes twice `enough` is not timed again.
    fn time(&self, enough: f32, mut run: impl FnMut() -> Result<bool>) -> Result<Option<f32>> {
        // The first call loads, searches and compiles.
        if !run()? {
            return Ok(None);
        }
        let mut best = self.row(1, &mut run)?;
        if best < Self::LONG && best < 2.0 * enough {
            let calls = (Self::ROW / best).clamp(4.0, 16.0) as u8;
            for _ in 0..2 {
                best = best.min(self.row(calls, &mut run)?);
            }
        }
        Ok(Some(best))
    }

    fn row(&self, calls: u8, run: &mut impl FnMut() -> Result<bool>) -> Result<f32> {
        self.start.record(self.device.queue().stream())?;
        for _ in 0..calls {
            run()?;
        }
        self.end.record(self.device.queue().stream())?;
        self.end.synchronize()?;
        Ok(self.end.elapsed_ms(&self.start)? / f32::from(calls))
    }
}

#[cfg(test)]
mod tests {
    use candle_core::Layout;

    use super::*;
    use crate::Convolution;
    use crate::platform::HOST;

    /// Each algorithm is tried once, and the fastest stays. One that takes no time would win if it were not refused.
    #[test]
    fn measured_once() {
        let device = RocmDevice::on(HOST, 0).unwrap();
        let layouts = (Layout::contiguous((1, 2, 9)), Layout::contiguous((2, 2, 3)));
        let (x, w) = ((&layouts.0, usize::MAX), (&layouts.1, usize::MAX));
        let problem = Problem::new("conv", &Convolution::default(), x, w).unwrap();
        let case = (problem, DType::F32, [true; 2]);
        let measured = Measured::default();
        let mut tried = Vec::new();
        let mut run = |algorithm: Algorithm| {
            tried.push(algorithm);
            // Writing memory takes the device some time.
            let count = if algorithm == Algorithm::Im2col { 1 << 8 } else { 1 << 24 };
            device
                .alloc_zeros::<f32>(count)
                .map(|_| matches!(algorithm, Algorithm::Im2col | Algorithm::Direct))
        };
        assert_eq!(measured.fastest(&device, case, &mut run).unwrap(), Algorithm::Im2col);
        let count = tried.len();
        assert!(Algorithm::all(HOST).all(|algorithm| tried.contains(&algorithm)), "{tried:?}");
        let mut again = |algorithm: Algorithm| -> Result<bool> { panic!("{algorithm:?} again") };
        assert_eq!(measured.fastest(&device, case, &mut again).unwrap(), Algorithm::Im2col);
        assert!(count > Algorithm::all(HOST).count());
    }
}
