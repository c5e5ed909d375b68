//! Custom operations: the backend's fused kernel if it takes the offer, else the CPU.

use super::fallback::{on_cpu, shape_and_dtype};
use super::{FusedOp, RocmStorage};
use crate::backend::{BackendDevice, BackendStorage};
use crate::custom_op::Src;
use crate::op::{BackpropOp, Op};
use crate::{CpuStorage, Layout, Result, Shape, Storage, Tensor};

/// The result of a fused operation on tensors, if they are on a ROCm device whose backend has a kernel for it. It has no
/// gradient: [`offer_with_gradient`](super::offer_with_gradient) is for tensors with `track_op()`.
pub fn offer(op: &FusedOp<'_>, args: &[&Tensor]) -> Result<Option<Tensor>> {
    if !args.iter().all(|arg| arg.device().is_rocm()) {
        return Ok(None);
    }
    let guards: Vec<_> = args.iter().map(|arg| arg.storage_and_layout()).collect();
    let result = take(op, &operands_of(&guards))?;
    Ok(result.map(|(storage, shape)| {
        Tensor::from_storage(Storage::Rocm(storage), shape, BackpropOp::none(), false)
    }))
}

/// Concatenated tensors, if they are on a ROCm device whose backend does so at once: candle copies one after the
/// other. Shapes were checked; None where dtypes differ or devices, of which candle complains.
pub(crate) fn cat<A: AsRef<Tensor>>(tensors: &[A], dim: usize) -> Result<Option<Tensor>> {
    let first = tensors[0].as_ref();
    let alike = |t: &Tensor| t.dtype() == first.dtype() && t.device().same_device(first.device());
    if !first.device().is_rocm() || !tensors.iter().all(|t| alike(t.as_ref())) {
        return Ok(None);
    }
    let guards: Vec<_> = tensors.iter().map(|t| t.as_ref().storage_and_layout()).collect();
    let result = take(&FusedOp::Cat { dim }, &operands_of(&guards))?;
    Ok(result.map(|(storage, shape)| {
        let op = BackpropOp::new(tensors, |tensors| Op::Cat(tensors, dim));
        Tensor::from_storage(Storage::Rocm(storage), shape, op, false)
    }))
}

/// The operands that are on a ROCm device: all of them, where the caller saw to that.
pub(super) fn operands_of<'a, S: std::ops::Deref<Target = Storage>>(
    guards: &'a [(S, &'a Layout)],
) -> Vec<(&'a RocmStorage, &'a Layout)> {
    let operand = |(storage, layout): &'a (S, &'a Layout)| match &**storage {
        Storage::Rocm(storage) => Some((storage, *layout)),
        _ => None,
    };
    guards.iter().filter_map(operand).collect()
}

pub(super) fn take(op: &FusedOp<'_>, args: &[(&RocmStorage, &Layout)]) -> Result<Option<(RocmStorage, Shape)>> {
    let Some((first, _)) = args.first() else {
        return Ok(None);
    };
    let device = first.device();
    for (other, _) in args {
        if !device.same_device(other.device()) {
            crate::bail!("{}: operands on {device:?} and {:?}", op.name(), other.device())
        }
    }
    let result = device.erased().fused(op, args)?;
    op.count(result.is_some());
    Ok(result.map(|(storage, shape)| (device.own(storage), shape)))
}

/// A custom op's forward pass: by the backend if `fused` describes the op and the backend has a kernel, else by `cpu`.
pub(crate) fn forward<const N: usize>(
    name: &'static str,
    fused: Option<FusedOp<'_>>,
    args: [(&RocmStorage, &Layout); N],
    cpu: impl FnOnce([&CpuStorage; N]) -> Result<(CpuStorage, Shape)>,
) -> Result<(RocmStorage, Shape)> {
    let described = fused.is_some();
    if let Some(op) = fused {
        if let Some(result) = take(&op, &args)? {
            return Ok(result);
        }
    }
    let device = args[0].0.device();
    let operands: Vec<_> = args.iter().map(shape_and_dtype).collect();
    on_cpu(name, described, device, &operands, || {
        let mut copies = Vec::with_capacity(N);
        for (storage, _) in args {
            copies.push(storage.to_cpu_storage()?);
        }
        let (storage, shape) = cpu(std::array::from_fn(|i| &copies[i]))?;
        Ok((device.storage_from_cpu_storage_owned(storage)?, shape))
    })
}

/// An in-place op's forward pass, on the CPU.
pub(crate) fn forward_in_place<'a, const N: usize>(
    name: &'static str,
    (dst, dst_l): (&mut RocmStorage, &Layout),
    srcs: [(Src<'a, RocmStorage>, &'a Layout); N],
    cpu: impl for<'b> FnOnce(&mut CpuStorage, [(Src<'b, CpuStorage>, &'b Layout); N]) -> Result<()>,
) -> Result<()> {
    let device = dst.device().clone();
    let mut operands = vec![shape_and_dtype(&(&*dst, dst_l))];
    for (src, layout) in &srcs {
        let storage = match src {
            Src::Distinct(storage) => storage,
            Src::Aliased(_) => &*dst,
        };
        operands.push(shape_and_dtype(&(storage, layout)));
    }
    on_cpu(name, false, &device, &operands, || {
        let mut copies = Vec::with_capacity(N);
        for (src, _) in &srcs {
            copies.push(match src {
                Src::Distinct(storage) => Some(storage.to_cpu_storage()?),
                Src::Aliased(_) => None,
            });
        }
        let mut result = dst.to_cpu_storage()?;
        cpu(
            &mut result,
            std::array::from_fn(|i| match (&copies[i], srcs[i]) {
                (Some(copy), (_, layout)) => (Src::Distinct(copy), layout),
                (None, (Src::Aliased(relation), layout)) => (Src::Aliased(relation), layout),
                (None, (Src::Distinct(_), _)) => unreachable!("distinct sources were copied"),
            }),
        )?;
        *dst = device.storage_from_cpu_storage_owned(result)?;
        Ok(())
    })
}
