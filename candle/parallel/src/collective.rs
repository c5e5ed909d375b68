//! Collectives as operations of candle's graph: forward on buffers, and gradients that are collectives again.
//!
//! A gradient is that of the sum of all ranks' losses.

use std::sync::Arc;

use candle_core::{CpuStorage, CustomOp1, DType, Layout, Result, Shape, Tensor};
use candle_rocm::hip::{Buffer, Stream};
use candle_rocm::{ExternalOp, RocmDType, RocmDevice, RocmError, RocmStorage, RocmStorageSlice};
use rocm_rccl::{Reduce, Reducible, Request, View, group};

use crate::Communicator;
use crate::error::wrap;

#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    AllReduce(Reduce),
    /// A sum whose gradient stays: what follows is the same on all ranks, with one loss.
    SumOfParts,
    /// The same elements; their gradient is summed: what follows is a part on each rank.
    Parts,
    /// Along the first dimension.
    AllGather,
    /// Along the first dimension.
    ReduceScatter(Reduce),
    Broadcast(u32),
    /// Along the first dimension.
    AllToAll,
    Exchange {
        to: u32,
        from: u32,
    },
    /// Its result says nothing.
    Send(u32),
    /// Its operand says nothing but the dtype.
    Receive {
        from: u32,
        len: usize,
    },
}

pub(crate) struct Collective {
    pub(crate) communicator: Communicator,
    pub(crate) kind: Kind,
    /// Where a reduction runs, if not on the device's own stream. That has to wait for it before it reads the result.
    pub(crate) side_stream: Option<Stream>,
}

impl Collective {
    fn shape(&self, layout: &Layout) -> Result<Shape> {
        let ranks = self.communicator.world_size() as usize;
        let mut dims = layout.dims().to_vec();
        let whole = |dims: &[usize]| match dims {
            [first, ..] if first.is_multiple_of(ranks) => Ok(()),
            dims => candle_core::bail!("{}: {dims:?} cannot be split among {ranks} ranks", self.name()),
        };
        match (self.kind, &mut dims[..]) {
            (Kind::AllGather, [first, ..]) => *first *= ranks,
            (Kind::AllGather, []) => {
                candle_core::bail!("all_gather: a scalar has no dimension to gather along")
            }
            (Kind::ReduceScatter(_), dims) => {
                whole(dims)?;
                dims[0] /= ranks;
            }
            (Kind::AllToAll, dims) => whole(dims)?,
            (Kind::Send(_), _) => return Ok(Shape::from(1)),
            (Kind::Receive { len, .. }, _) => return Ok(Shape::from(len)),
            _ => {}
        }
        Ok(Shape::from(dims))
    }

    /// What the call can be refused for. Whatever else goes wrong may be reported later.
    fn check(&self, dtype: DType) -> Result<()> {
        if let Some(failure) = self.communicator.failure() {
            return Err(wrap(failure.clone().into()));
        }
        let reduces = matches!(self.kind, Kind::AllReduce(_) | Kind::SumOfParts | Kind::ReduceScatter(_));
        if reduces && dtype == DType::I16 {
            return Err(RocmError::UnsupportedDType { op: self.name(), dtype }.into());
        }
        let ranks = self.communicator.world_size();
        let named = match self.kind {
            Kind::Broadcast(rank) | Kind::Send(rank) | Kind::Receive { from: rank, .. } => [rank, rank],
            Kind::Exchange { to, from } => [to, from],
            _ => return Ok(()),
        };
        match named.into_iter().find(|rank| *rank >= ranks) {
            Some(rank) => {
                candle_core::bail!(
                    "{}: rank {rank} is out of range for {ranks} ranks; ranks start at 0",
                    self.name()
                )
            }
            None => Ok(()),
        }
    }

    fn again(&self, kind: Kind, x: &Tensor) -> Result<Tensor> {
        self.communicator.apply(kind, x)
    }
}

impl CustomOp1 for Collective {
    fn name(&self) -> &'static str {
        match self.kind {
            Kind::AllReduce(_) => "all_reduce",
            Kind::SumOfParts => "sum_of_parts",
            Kind::Parts => "parts",
            Kind::AllGather => "all_gather",
            Kind::ReduceScatter(_) => "reduce_scatter",
            Kind::Broadcast(_) => "broadcast",
            Kind::AllToAll => "all_to_all",
            Kind::Exchange { .. } => "exchange",
            Kind::Send(_) => "send",
            Kind::Receive { .. } => "receive",
        }
    }

    fn cpu_fwd(&self, _: &CpuStorage, _: &Layout) -> Result<(CpuStorage, Shape)> {
        candle_core::bail!(
            "{}: the tensor is on the CPU, and collectives are between ROCm devices",
            self.name()
        )
    }

    fn rocm_fwd(
        &self,
        storage: &candle_core::RocmStorage,
        layout: &Layout,
    ) -> Result<(candle_core::RocmStorage, Shape)> {
        let Some(x) = storage.downcast_ref::<RocmStorage>() else {
            candle_core::bail!("{}: the tensor does not belong to candle-rocm", self.name())
        };
        self.check(x.dtype())?;
        let shape = self.shape(layout)?;
        let out = shape.elem_count();
        let queued = Queued {
            communicator: self.communicator.share(),
            kind: self.kind,
            name: self.name(),
            out,
            side_stream: self.side_stream.clone(),
        };
        let result = x.apply(layout, Arc::new(queued), out)?;
        Ok((candle_core::RocmStorage::wrap::<RocmDevice>(result, storage.device()), shape))
    }

    fn bwd(&self, x: &Tensor, result: &Tensor, grad: &Tensor) -> Result<Option<Tensor>> {
        let grad = &grad.contiguous()?;
        let sum = Kind::AllReduce(Reduce::Sum);
        let own = self.communicator.rank();
        Ok(Some(match self.kind {
            Kind::AllReduce(reduce @ (Reduce::Sum | Reduce::Average)) => {
                self.again(Kind::AllReduce(reduce), grad)?
            }
            Kind::AllReduce(Reduce::Product) => ((self.again(sum, grad)? * result)? / x)?,
            Kind::AllReduce(Reduce::Min | Reduce::Max) => {
                (self.again(sum, grad)? * x.eq(result)?.to_dtype(grad.dtype())?)?
            }
            Kind::SumOfParts => grad.clone(),
            Kind::Parts => self.again(sum, grad)?,
            Kind::AllGather => self.again(Kind::ReduceScatter(Reduce::Sum), grad)?,
            Kind::ReduceScatter(Reduce::Sum) => self.again(Kind::AllGather, grad)?,
            Kind::ReduceScatter(Reduce::Average) => {
                (self.again(Kind::AllGather, grad)? / f64::from(self.communicator.world_size()))?
            }
            Kind::ReduceScatter(reduce) => {
                candle_core::bail!("reduce_scatter: {reduce} has no gradient here")
            }
            Kind::Broadcast(root) => {
                let sum = self.again(sum, grad)?;
                if root == own { sum } else { sum.zeros_like()? }
            }
            Kind::AllToAll => self.again(Kind::AllToAll, grad)?,
            Kind::Exchange { to, from } => self.again(Kind::Exchange { to: from, from: to }, grad)?,
            Kind::Send(_) | Kind::Receive { .. } => {
                candle_core::bail!("{}: it has no gradient", self.name())
            }
        }))
    }
}

/// The operation on buffers, which waits for its turn on the stream.
struct Queued {
    communicator: Arc<rocm_rccl::Communicator>,
    kind: Kind,
    name: &'static str,
    /// Elements of the result.
    out: usize,
    side_stream: Option<Stream>,
}

impl ExternalOp for Queued {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&self, device: &RocmDevice, x: &RocmStorageSlice, layout: &Layout) -> Result<RocmStorageSlice> {
        let Some((start, end)) = layout.contiguous_offsets() else {
            candle_core::bail!("{}: {layout:?} is not contiguous", self.name)
        };
        macro_rules! each {
            ($run:ident: $($variant:ident)*) => {
                match x {
                    $(RocmStorageSlice::$variant(buffer) => {
                        let view = View::new(buffer, start, end - start).map_err(wrap)?;
                        Ok(RocmStorageSlice::$variant(self.$run(device, view)?))
                    })*
                    other => Err(RocmError::UnsupportedDType { op: self.name, dtype: other.dtype() }.into()),
                }
            };
        }
        match self.kind {
            Kind::AllReduce(_) | Kind::SumOfParts | Kind::ReduceScatter(_) => {
                each!(reduced: U8 U32 I32 I64 BF16 F16 F32 F64 F8E4M3)
            }
            _ => each!(moved: U8 U32 I16 I32 I64 BF16 F16 F32 F64 F8E4M3),
        }
    }
}

impl Queued {
    fn reduced<T: RocmDType + Reducible>(&self, device: &RocmDevice, x: View<'_, T>) -> Result<Buffer<T>> {
        let ranks = &self.communicator;
        let mut out = device.alloc::<T>(self.out)?;
        let request = match self.kind {
            Kind::ReduceScatter(reduce) => ranks.reduce_scatter(x, &mut out, reduce),
            Kind::AllReduce(reduce) => ranks.all_reduce(x, &mut out, reduce),
            _ => ranks.all_reduce(x, &mut out, Reduce::Sum),
        };
        let request = match &self.side_stream {
            Some(stream) => request.and_then(|request| request.on(stream)),
            None => request,
        };
        request.and_then(Request::run).map_err(wrap)?;
        Ok(out)
    }

    fn moved<T: RocmDType>(&self, device: &RocmDevice, x: View<'_, T>) -> Result<Buffer<T>> {
        let ranks = &self.communicator;
        let mut out = device.alloc::<T>(self.out)?;
        let done = match self.kind {
            Kind::AllGather => ranks.all_gather(x, &mut out).and_then(Request::run),
            Kind::AllToAll => ranks.all_to_all(x, &mut out).and_then(Request::run),
            Kind::Exchange { to, from } => {
                ranks.send(x, to).and_then(|send| Ok([send, ranks.receive(&mut out, from)?])).and_then(group)
            }
            Kind::Send(to) => ranks.send(x, to).and_then(Request::run),
            Kind::Receive { from, .. } => ranks.receive(&mut out, from).and_then(Request::run),
            kind => {
                device.copy(x.buffer(), x.start(), &mut out, 0, x.len())?;
                match kind {
                    Kind::Broadcast(root) => ranks.broadcast(&mut out, root).and_then(Request::run),
                    _ => Ok(()),
                }
            }
        };
        done.map_err(wrap)?;
        Ok(out)
    }
}
