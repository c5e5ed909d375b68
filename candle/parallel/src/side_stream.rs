//! A stream beside the device's own, on which ranks reduce while the device goes on computing.

use std::sync::Arc;

use candle_core::{Layout, Result, Tensor};
use candle_rocm::hip::Stream;
use candle_rocm::{ExternalOp, RocmDevice, RocmError, RocmStorage, RocmStorageSlice};

use crate::Communicator;
use crate::collective::Kind;
use crate::communicator::rocm;

/// Reductions that run beside the device's stream, in the order of the calls.
///
/// Keep operands and results until [`wait`](SideStream::wait), or pass them on to it: once the memory of one is free, the device's stream
/// waits for the reduction, and with it all that could be computed meanwhile.
pub(crate) struct SideStream {
    communicator: Communicator,
    stream: Stream,
}

impl SideStream {
    pub(crate) fn new(communicator: &Communicator) -> Result<Self> {
        let stream = Stream::new(rocm(communicator.device())?.hip_device()).map_err(RocmError::from)?;
        Ok(Self { communicator: communicator.clone(), stream })
    }

    /// Starts a reduction behind what the device has been given so far. Its result must not be read before a [`wait`](SideStream::wait).
    pub(crate) fn reduce(&self, kind: Kind, x: &Tensor) -> Result<Tensor> {
        self.communicator.apply_on(kind, x, Some(&self.stream))
    }

    /// Has the device's stream wait for all reductions so far. What they `used` stays until then.
    pub(crate) fn wait(&self, used: Vec<Tensor>) -> Result<()> {
        let device = rocm(self.communicator.device())?;
        let wait = Wait { stream: self.stream.clone(), _used: used };
        let any = RocmStorage::new(RocmStorageSlice::F32(device.alloc(1)?), device.clone());
        any.apply(&Layout::contiguous(1), Arc::new(wait), 1).map(drop)
    }
}

/// Has the device's stream wait for another, so that what is recorded behind it can read the results. Its own operand and result say
/// nothing.
struct Wait {
    stream: Stream,
    /// What the stream uses until then.
    _used: Vec<Tensor>,
}

impl ExternalOp for Wait {
    fn name(&self) -> &'static str {
        "wait for reductions"
    }

    fn run(&self, device: &RocmDevice, _: &RocmStorageSlice, _: &Layout) -> Result<RocmStorageSlice> {
        device.stream().wait_for(&self.stream).map_err(RocmError::from)?;
        Ok(RocmStorageSlice::F32(device.alloc(1)?))
    }
}
