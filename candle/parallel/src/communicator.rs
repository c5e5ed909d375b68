//! A rank's place among others, for tensors.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use candle_core::{Device, Error, Result, Shape, Tensor};
use candle_rocm::hip::Stream;
use candle_rocm::{RocmDType, RocmDevice, tensor_from_buffer};
use rocm_rccl::{Failure, Reduce, UniqueId};

use crate::collective::{Collective, Kind};
use crate::error::wrap;

/// A rank on a device, with collectives of tensors among all ranks. Clones are the same rank.
///
/// All ranks must make the same calls in the same order. Operations are queued on the device's stream, and operands may have any layout.
/// The gradient of a collective is again a collective, so all ranks must call `backward`. It is the gradient of the sum of all ranks'
/// losses.
#[derive(Clone)]
pub struct Communicator {
    raw: Arc<rocm_rccl::Communicator>,
    device: Device,
}

impl Communicator {
    /// Creates one rank per device, all in this process. Each rank needs its own thread to make its calls.
    ///
    /// # Errors
    /// [`RcclError`](crate::RcclError), inside candle's error, if RCCL is not available or refuses the devices.
    pub fn from_devices(devices: &[Device]) -> Result<Vec<Self>> {
        let own = devices.iter().map(|device| Ok(rocm(device)?.hip_device())).collect::<Result<Vec<_>>>()?;
        let raw = rocm_rccl::Communicator::from_devices(&own).map_err(wrap)?;
        Ok(raw.into_iter().zip(devices).map(|(raw, device)| Self::of(raw, device)).collect())
    }

    /// Joins as rank `rank` of `world_size`. Waits until all ranks have joined with the same id.
    ///
    /// # Errors
    /// As [`Communicator::from_devices`], and if not all ranks join.
    pub fn from_rank(device: &Device, rank: u32, world_size: u32, id: &UniqueId) -> Result<Self> {
        let raw = rocm_rccl::Communicator::from_rank(rocm(device)?.hip_device(), rank, world_size, id);
        Ok(Self::of(raw.map_err(wrap)?, device))
    }

    /// Joins as the rank that torchrun, SLURM or Open MPI assigned to this process.
    ///
    /// # Errors
    /// As [`Communicator::from_rank`], and if no launcher started the process.
    pub fn from_env(device: &Device) -> Result<Self> {
        let raw = rocm_rccl::Communicator::from_env(rocm(device)?.hip_device());
        Ok(Self::of(raw.map_err(wrap)?, device))
    }

    fn of(raw: rocm_rccl::Communicator, device: &Device) -> Self {
        Self { raw: Arc::new(raw), device: device.clone() }
    }

    /// This rank.
    pub fn rank(&self) -> u32 {
        self.raw.rank()
    }

    /// The number of ranks.
    pub fn world_size(&self) -> u32 {
        self.raw.world_size()
    }

    /// The device of this rank, on which operands must be.
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// The underlying communicator of buffers. Operations on tensors that [fusion](candle_rocm::Fusion) has recorded are submitted first,
    /// so that calls keep their order.
    pub fn raw(&self) -> &rocm_rccl::Communicator {
        if let Ok(device) = rocm(&self.device) {
            device.flush();
        }
        &self.raw
    }

    pub(crate) fn share(&self) -> Arc<rocm_rccl::Communicator> {
        self.raw.clone()
    }

    /// Sets [how long](rocm_rccl::Communicator::set_timeout) an operation may take.
    pub fn set_timeout(&self, limit: Duration) {
        self.raw.set_timeout(limit);
    }

    /// Why the communicator can no longer be used; `None` while it works.
    pub fn failure(&self) -> Option<&Failure> {
        self.raw.failure()
    }

    /// Reduces the elements of all ranks. The gradient of a product is that of candle's `*`; the gradient of a minimum or maximum goes to
    /// the elements that equal the result.
    ///
    /// # Errors
    /// [`failure`](crate::failure) extracts why the ranks failed. A dtype that RCCL cannot reduce (i16) is an error.
    pub fn all_reduce(&self, x: &Tensor, reduce: Reduce) -> Result<Tensor> {
        self.apply(Kind::AllReduce(reduce), x)
    }

    /// Concatenates the tensors of all ranks along `dim`.
    ///
    /// # Errors
    /// As [`Communicator::all_reduce`].
    pub fn all_gather(&self, x: &Tensor, dim: usize) -> Result<Tensor> {
        if dim == 0 {
            return self.apply(Kind::AllGather, x);
        }
        self.apply(Kind::AllGather, &x.transpose(0, dim)?)?.transpose(0, dim)
    }

    /// Reduces the elements of all ranks, and gives rank r the r-th part along `dim`. Only [`Reduce::Sum`] and [`Reduce::Average`] have a
    /// gradient.
    ///
    /// # Errors
    /// As [`Communicator::all_reduce`], and if the dimension is not a multiple of the number of ranks.
    pub fn reduce_scatter(&self, x: &Tensor, dim: usize, reduce: Reduce) -> Result<Tensor> {
        if dim == 0 {
            return self.apply(Kind::ReduceScatter(reduce), x);
        }
        self.apply(Kind::ReduceScatter(reduce), &x.transpose(0, dim)?)?.transpose(0, dim)
    }

    /// Returns the elements of rank `root`. The other ranks pass a tensor of the same shape and dtype.
    ///
    /// # Errors
    /// As [`Communicator::all_reduce`], and if there is no such rank.
    pub fn broadcast(&self, x: &Tensor, root: u32) -> Result<Tensor> {
        self.apply(Kind::Broadcast(root), x)
    }

    /// Splits the first dimension into one part per rank. Sends the r-th part to rank r, and concatenates the parts received from all
    /// ranks.
    ///
    /// # Errors
    /// As [`Communicator::reduce_scatter`].
    pub fn all_to_all(&self, x: &Tensor) -> Result<Tensor> {
        self.apply(Kind::AllToAll, x)
    }

    /// Sends a tensor to one rank and receives one of the same shape from another, for example to shift tensors around a ring or to swap
    /// them.
    ///
    /// # Errors
    /// As [`Communicator::broadcast`].
    pub fn exchange(&self, x: &Tensor, to: u32, from: u32) -> Result<Tensor> {
        self.apply(Kind::Exchange { to, from }, x)
    }

    /// Sends a tensor to a rank, which [receives](Communicator::receive) it. Has no gradient.
    ///
    /// # Errors
    /// As [`Communicator::broadcast`].
    pub fn send(&self, x: &Tensor, to: u32) -> Result<()> {
        self.apply(Kind::Send(to), x).map(drop)
    }

    /// Receives a tensor of the given shape and type from a rank that sends it. Has no gradient.
    ///
    /// # Errors
    /// As [`Communicator::broadcast`].
    pub fn receive<T: RocmDType>(&self, shape: impl Into<Shape>, from: u32) -> Result<Tensor> {
        let shape = shape.into();
        let any = tensor_from_buffer(rocm(&self.device)?.alloc::<T>(1)?, 1, &self.device)?;
        self.apply(Kind::Receive { from, len: shape.elem_count() }, &any)?.reshape(shape)
    }

    /// Sums partial results of all ranks, for layers that all ranks then compute alike, with the same loss. Its gradient is passed on
    /// unchanged. (Megatron's g.)
    ///
    /// # Errors
    /// As [`Communicator::all_reduce`].
    pub fn sum_of_parts(&self, x: &Tensor) -> Result<Tensor> {
        self.apply(Kind::SumOfParts, x)
    }

    /// Returns the tensor itself, for layers of which each rank computes a part. Its gradient is the sum over all ranks. (Megatron's f.)
    ///
    /// # Errors
    /// As [`Communicator::all_reduce`].
    pub fn parts(&self, x: &Tensor) -> Result<Tensor> {
        if x.track_op() { self.apply(Kind::Parts, x) } else { Ok(x.clone()) }
    }

    pub(crate) fn apply(&self, kind: Kind, x: &Tensor) -> Result<Tensor> {
        self.apply_on(kind, x, None)
    }

    /// On a side stream, if there is one, for which the device's own has to wait before it reads the result.
    pub(crate) fn apply_on(&self, kind: Kind, x: &Tensor, side_stream: Option<&Stream>) -> Result<Tensor> {
        if !x.device().same_device(&self.device) {
            candle_core::bail!("the tensor is on {:?}, the communicator on {:?}", x.device(), self.device)
        }
        let collective = Collective { communicator: self.clone(), kind, side_stream: side_stream.cloned() };
        x.contiguous()?.apply_op1(collective)
    }
}

pub(crate) fn rocm(device: &Device) -> Result<&RocmDevice> {
    let not_ours = || Error::Msg(format!("{device:?} does not belong to candle-rocm"));
    device.as_rocm_device()?.downcast_ref::<RocmDevice>().ok_or_else(not_ours)
}

impl fmt::Debug for Communicator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.raw.fmt(f)
    }
}
