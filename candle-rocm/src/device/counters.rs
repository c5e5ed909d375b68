//! What a device does for which operation.

use std::collections::BTreeMap;
use std::sync::MutexGuard;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use super::unless_forked;
use crate::hip::trace;
use crate::lock::{Guard, Mutex};
use crate::{RocmDevice, RocmError};

/// Statistics of a device, from [`RocmDevice::counters`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counters {
    /// Launches of this crate's kernels, without those of rocBLAS and MIOpen.
    pub launches: usize,
    /// Recorded operations that needed no launch of their own, because they were fused into another one or their result was never read. See
    /// [`RocmDevice::set_fusion`].
    pub launches_saved: usize,
    /// Plans made for recorded operations.
    pub plans_made: usize,
    /// Plans reused because the same operations had been planned before.
    pub plans_kept: usize,
    /// Fused launches that turned out to be impossible, by name. Their operations ran one by one.
    pub declined: BTreeMap<&'static str, Declined>,
    /// Counters of each operation while [`RocmDevice::set_profiling`] is on. A fused launch is listed under its own name.
    pub operations: BTreeMap<&'static str, OperationCounters>,
}

/// Fused launches of one name that were not possible.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Declined {
    /// The number of these launches.
    pub launches: usize,
    /// The first error that was not merely about the operands' layouts, such as a lack of memory.
    pub first_error: Option<String>,
}

/// Counters of one operation. An operation that calls others includes them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct OperationCounters {
    /// The number of calls.
    pub calls: usize,
    /// Launches of this crate's kernels by these calls.
    pub launches: usize,
    /// Bytes of their operands, computed from the shapes. A broadcast operand counts with the shape to which it is broadcast.
    pub bytes_read: usize,
    /// Bytes of their results.
    pub bytes_written: usize,
    /// Host time of the calls. Kernels run later.
    pub host_time: Duration,
}

/// Where calls are counted.
#[derive(Default)]
pub(crate) struct Profile {
    on: AtomicBool,
    saved: AtomicUsize,
    plans_made: AtomicUsize,
    plans_kept: AtomicUsize,
    declined: Mutex<BTreeMap<&'static str, Declined>>,
    operations: Mutex<BTreeMap<&'static str, OperationCounters>>,
}

impl Profile {
    /// Whether operations are counted.
    #[inline]
    pub(crate) fn is_on(&self) -> bool {
        self.on.load(Ordering::Relaxed)
    }

    /// Counts operations without a launch of their own.
    pub(crate) fn save(&self, launches: usize) {
        self.saved.fetch_add(launches, Ordering::Relaxed);
    }

    /// Counts a plan.
    pub(crate) fn plan(&self, made: bool) {
        let counter = if made { &self.plans_made } else { &self.plans_kept };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a call.
    pub(crate) fn add(&self, name: &'static str, call: OperationCounters) {
        let mut operations = self.operations();
        let sum = operations.entry(name).or_default();
        sum.calls += call.calls;
        sum.launches += call.launches;
        sum.bytes_read += call.bytes_read;
        sum.bytes_written += call.bytes_written;
        sum.host_time += call.host_time;
    }

    fn declined(&self) -> Guard<MutexGuard<'_, BTreeMap<&'static str, Declined>>> {
        unless_forked(|| &self.declined).lock()
    }

    fn operations(&self) -> Guard<MutexGuard<'_, BTreeMap<&'static str, OperationCounters>>> {
        unless_forked(|| &self.operations).lock()
    }
}

impl RocmDevice {
    /// Sets whether [`RocmDevice::counters`] counts each operation, which takes a little host time per call. Off by default. Turning it on
    /// resets these counters.
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
        self.flush();
        let profile = self.profile();
        if !profile.on.swap(profiling, Ordering::Relaxed) && profiling {
            profile.operations().clear();
        }
    }

    /// Counts a launch that did not take what it was planned for, and says so in the trace.
    pub(crate) fn decline(&self, name: &'static str, error: Option<RocmError>) {
        let error = error.map(|error| error.to_string());
        drop(trace::span("declined", || {
            format!(
                "{name}: {}",
                error.as_deref().unwrap_or("no kernel or library takes these shapes and dtypes")
            )
        }));
        let mut declined = self.profile().declined();
        let of = declined.entry(name).or_default();
        of.launches += 1;
        of.first_error = of.first_error.take().or(error);
    }

    /// The statistics of this device since it was created.
    pub fn counters(&self) -> Counters {
        let (stream, profile) = (self.stream(), self.profile());
        // One lock after the other.
        let declined = profile.declined().clone();
        let operations = profile.operations().clone();
        Counters {
            launches: stream.launches(),
            launches_saved: profile.saved.load(Ordering::Relaxed),
            plans_made: profile.plans_made.load(Ordering::Relaxed),
            plans_kept: profile.plans_kept.load(Ordering::Relaxed),
            declined,
            operations,
        }
    }
}
