//! What a device does for which operation.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use candle_core::Layout;

use crate::count;
use crate::hip::trace;
use crate::{RocmDevice, RocmStorage};

/// What a device has done, from [`RocmDevice::counters`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Kernels of this crate that were launched. Those of rocBLAS and MIOpen do not count.
    pub launches: usize,
    /// By operation, while [`RocmDevice::set_profiling`] is on.
    pub operations: BTreeMap<&'static str, OperationCounters>,
}

/// All calls of one operation. An operation that calls others includes them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OperationCounters {
    /// Calls.
    pub calls: usize,
    /// Kernels of this crate that they launched.
    pub launches: usize,
    /// Bytes of their operands, as their shapes count them: a broadcast operand counts as what it is broadcast to.
    pub bytes_read: usize,
    /// Bytes of their results.
    pub bytes_written: usize,
    /// How long the calls took the host. Kernels run later.
    pub host_time: Duration,
}

#[derive(Default)]
pub(super) struct Profile {
    on: AtomicBool,
    operations: Mutex<BTreeMap<&'static str, OperationCounters>>,
}

impl Profile {
    fn operations(&self) -> MutexGuard<'_, BTreeMap<&'static str, OperationCounters>> {
        self.operations.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An operand and its layout.
type Operand<'a> = (&'a RocmStorage, &'a Layout);

impl RocmDevice {
    /// Whether [`RocmDevice::counters`] tells operations apart, which takes a little time of the host for each. Off by default.
    /// Switched on, it begins anew.
    ///
    /// ```
    /// use candle_core::{Device, Tensor};
    /// use candle_rocm::{RocmDevice, platform::HOST};
    /// # fn main() -> Result<(), candle_rocm::RocmError> {
    /// let device = RocmDevice::on(HOST, 0)?;
    /// device.set_profiling(true);
    /// // operations of tensors on the device
    /// for (operation, counters) in device.counters().operations {
    ///     println!("{operation}: {} launches, {:?}", counters.launches, counters.host_time);
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn set_profiling(&self, profiling: bool) {
        let profile = self.profile();
        if !profile.on.swap(profiling, Ordering::Relaxed) && profiling {
            profile.operations().clear();
        }
    }

    /// What this device has done since it was made.
    pub fn counters(&self) -> Counters {
        Counters { launches: self.stream().launches(), operations: self.profile().operations().clone() }
    }

    /// Runs an operation with a result of its own.
    #[inline]
    pub(crate) fn observe<R: Written, E>(
        &self,
        name: &'static str,
        operands: &[Operand<'_>],
        run: impl FnOnce() -> Result<R, E>,
    ) -> Result<R, E> {
        self.observe_with_weights(name, operands, || 0, run)
    }

    /// Runs an operation that writes so many bytes into one of its operands.
    #[inline]
    pub(crate) fn observe_in_place<E>(
        &self,
        name: &'static str,
        operands: &[Operand<'_>],
        written: impl FnOnce() -> usize,
        run: impl FnOnce() -> Result<(), E>,
    ) -> Result<(), E> {
        self.observe(name, operands, || run().map(|()| InPlace(written()))).map(|_| ())
    }

    /// Runs an operation that also reads so many bytes of weights.
    #[inline]
    pub(crate) fn observe_with_weights<R: Written, E>(
        &self,
        name: &'static str,
        operands: &[Operand<'_>],
        weights: impl FnOnce() -> usize,
        run: impl FnOnce() -> Result<R, E>,
    ) -> Result<R, E> {
        if self.profile().on.load(Ordering::Relaxed) || trace::is_on() {
            self.observed(name, operands, weights(), run)
        } else {
            run()
        }
    }

    #[cold]
    fn observed<R: Written, E>(
        &self,
        name: &'static str,
        operands: &[Operand<'_>],
        weights: usize,
        run: impl FnOnce() -> Result<R, E>,
    ) -> Result<R, E> {
        let span = trace::span(name, || shapes(operands));
        let (launches, start) = (self.stream().launches(), Instant::now());
        let result = run();
        let host_time = start.elapsed();
        drop(span);
        let profile = self.profile();
        if let (true, Ok(Some(written))) =
            (profile.on.load(Ordering::Relaxed), result.as_ref().map(Written::bytes))
        {
            let mut operations = profile.operations();
            let counters = operations.entry(name).or_default();
            counters.calls += 1;
            counters.launches += self.stream().launches() - launches;
            counters.bytes_read += weights + operands.iter().map(bytes).sum::<usize>();
            counters.bytes_written += written;
            counters.host_time += host_time;
        }
        result
    }
}

/// `f32[2, 3] i64[2]`.
fn shapes(operands: &[Operand<'_>]) -> String {
    let shape =
        |(storage, layout): &Operand<'_>| format!("{}{:?}", storage.slice.dtype().as_str(), layout.dims());
    operands.iter().map(shape).collect::<Vec<_>>().join(" ")
}

pub(crate) fn bytes((storage, layout): &Operand<'_>) -> usize {
    count::saturating(layout.dims()).saturating_mul(storage.slice.dtype().size_in_bytes())
}

/// What an operation gives.
pub(crate) trait Written {
    /// The size of its result; `None` if the operation was declined.
    fn bytes(&self) -> Option<usize>;
}

impl Written for RocmStorage {
    fn bytes(&self) -> Option<usize> {
        Some(self.slice.len() * self.slice.dtype().size_in_bytes())
    }
}

struct InPlace(usize);

impl Written for InPlace {
    fn bytes(&self) -> Option<usize> {
        Some(self.0)
    }
}

#[cfg(candle_rocm_seam)]
mod fused {
    use candle_core::Shape;

    use super::{RocmStorage, Written};

    impl Written for Option<(RocmStorage, Shape)> {
        fn bytes(&self) -> Option<usize> {
            self.as_ref()?.0.bytes()
        }
    }

    /// Gradients of those operands that want one.
    impl Written for Option<Vec<Option<RocmStorage>>> {
        fn bytes(&self) -> Option<usize> {
            Some(self.as_ref()?.iter().flatten().filter_map(RocmStorage::bytes).sum())
        }
    }
}
