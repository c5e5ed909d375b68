//! What operations are seen from outside: by counters, and in the trace.

use std::time::Instant;

use smallvec::{Array, SmallVec};

use super::operand::Operand;
use crate::hip::trace;
use crate::{OperationCounters, RocmDevice, RocmError, RocmStorage, RocmStorageSlice, count};

impl RocmDevice {
    /// Runs an operation with a result of its own.
    #[inline]
    pub(crate) fn observe<R: Written, E: From<RocmError>>(
        &self,
        name: &'static str,
        operands: &[Operand<'_>],
        run: impl FnOnce() -> Result<R, E>,
    ) -> Result<R, E> {
        self.observe_with_weights(name, operands, || 0, run)
    }

    /// Runs an operation that writes so many bytes into one of its operands.
    #[inline]
    pub(crate) fn observe_in_place<E: From<RocmError>>(
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
    pub(crate) fn observe_with_weights<R: Written, E: From<RocmError>>(
        &self,
        name: &'static str,
        operands: &[Operand<'_>],
        weights: impl FnOnce() -> usize,
        run: impl FnOnce() -> Result<R, E>,
    ) -> Result<R, E> {
        // Before anything that takes locks, which nobody may be there to release.
        self.hip_device().check_usable().map_err(RocmError::from)?;
        if self.profile().is_on() || trace::is_on() {
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
        let (launches, start) = (self.queue().stream().launches(), Instant::now());
        let result = run();
        let host_time = start.elapsed();
        drop(span);
        if let (true, Ok(Some(bytes_written))) = (self.profile().is_on(), result.as_ref().map(Written::bytes))
        {
            let launches = self.queue().stream().launches() - launches;
            let bytes_read = weights + operands.iter().map(bytes).sum::<usize>();
            let call = OperationCounters { calls: 1, launches, bytes_read, bytes_written, host_time };
            self.profile().add(name, call);
        }
        result
    }
}

/// `f32[2, 3] i64[2]`.
fn shapes(operands: &[Operand<'_>]) -> String {
    let shape = |(storage, layout): &Operand<'_>| format!("{}{:?}", storage.dtype().as_str(), layout.dims());
    operands.iter().map(shape).collect::<Vec<_>>().join(" ")
}

pub(crate) fn bytes((storage, layout): &Operand<'_>) -> usize {
    count::saturating(layout.dims()).saturating_mul(storage.dtype().size_in_bytes())
}

impl<A: Array<Item = RocmStorageSlice>> Written for Option<SmallVec<A>> {
    fn bytes(&self) -> Option<usize> {
        Some(self.as_ref()?.iter().filter_map(RocmStorageSlice::bytes).sum())
    }
}

/// What an operation gives.
pub(crate) trait Written {
    /// The size of its result; `None` if the operation was declined.
    fn bytes(&self) -> Option<usize>;
}

impl Written for RocmStorageSlice {
    fn bytes(&self) -> Option<usize> {
        Some(self.len() * self.dtype().size_in_bytes())
    }
}

impl Written for RocmStorage {
    fn bytes(&self) -> Option<usize> {
        Some(self.len() * self.dtype().size_in_bytes())
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
